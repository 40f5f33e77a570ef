/* Merging two maps: flat ones as sorted arrays, tries in step, and one of each pair by pair. */
#include "base/long_work.h"
#include "term/compare.h"
#include "term/map.h"
#include "term/map_trie.h"

#include <string.h>

#define UNITS_PER_NODE 40 /* of long work: looked at, beside hashes and comparisons */

typedef struct {
    Area *area;
    size_t common;
    unsigned left; /* of long work */
} Merge;

static size_t pairs_below(Merge *m, Term child) {
    if (is_list(child))
        return 1;
    const Term *node = boxed_ptr(child);
    size_t pairs = 0, count = node_count(node);
    m->left = long_work_step(m->left, UNITS_PER_NODE);
    for (size_t i = 0; i < count; i++)
        pairs += is_list(node_children(node)[i]) ? 1 : pairs_below(m, node_children(node)[i]);
    return pairs;
}

/* One of the two is a cell, or both are: it joins the other. */
static Term merge_cell(Merge *m, Term other, Term cell, unsigned level, bool keep) {
    TriePut p = {m->area, list_head(cell), list_tail(cell), .cell = cell, .keep = keep, .new_key = true};
    Term merged = trie_put_below(&p, other, level);
    m->common += !p.added;
    return merged;
}

/* Two nodes for keys of one hash. */
static Term merge_collisions(Merge *m, Term x, Term y) {
    const Term *node = boxed_ptr(x);
    Term merged = y;
    for (size_t i = 0; i < node_count(node); i++)
        merged = merge_cell(m, merged, node_children(node)[i], MAP_LEVELS, true);
    return merged;
}

static Term merge_children(Merge *m, Term x, Term y, unsigned level);

/* A node of the children of both. Either itself, when that has them all. */
static Term merge_nodes(Merge *m, Term x, Term y, unsigned level) {
    const Term *a = boxed_ptr(x), *b = boxed_ptr(y);
    uint32_t in_a = node_bitmap(a), in_b = node_bitmap(b), both = in_a | in_b;
    bool is_a = in_a == both, is_b = in_b == both;
    Term children[16];
    size_t count = 0;
    m->left = long_work_step(m->left, UNITS_PER_NODE);
    a = node_children(a);
    b = node_children(b);
    for (uint32_t rest = both; rest != 0; rest &= rest - 1) {
        uint32_t bit = rest & -rest;
        Term mine = in_a & bit ? *a++ : NO_CHILD, other = in_b & bit ? *b++ : NO_CHILD;
        Term child = mine == NO_CHILD ? other : other == NO_CHILD ? mine : merge_children(m, mine, other, level + 1);
        is_a &= child == mine;
        is_b &= child == other;
        children[count++] = child;
    }
    if (is_a || is_b)
        return is_b ? y : x;
    Term *node = trie_node_make(m->area, both, count);
    memcpy(node_children_made(node), children, count * sizeof *children);
    return boxed_make(node);
}

static Term merge_children(Merge *m, Term x, Term y, unsigned level) {
    if (x == y) {
        m->common += pairs_below(m, y);
        return y;
    }
    if (is_list(x) && is_list(y) && term_identical(list_head(x), list_head(y))) {
        m->common++;
        return y;
    }
    if (is_list(y))
        return merge_cell(m, x, y, level, false);
    if (is_list(x))
        return merge_cell(m, y, x, level, true);
    return level == MAP_LEVELS ? merge_collisions(m, x, y) : merge_nodes(m, x, y, level);
}

static Term merge_tries(Area *area, Term a, Term b) {
    Merge m = {area, 0, LONG_WORK_ROUND};
    Term x = hash_map_ptr(a)->root, y = hash_map_ptr(b)->root, root = merge_children(&m, x, y, 0);
    long_work_rest(m.left, UNITS_PER_NODE);
    if (root == y)
        return b;
    return root == x ? a : hash_map_make(area, root, map_size(a) + map_size(b) - m.common);
}

/* `keep`: a pair of the trie stays where both have the key. */
static Term merge_flat_into_trie(Area *area, Term trie, Term flat, bool keep) {
    const Term *keys = flat_map_keys(flat), *values = flat_map_ptr(flat)->values;
    size_t count = flat_map_size(flat), size = map_size(trie);
    Term old = hash_map_ptr(trie)->root, root = old;
    for (size_t i = 0; i < count; i++) {
        TriePut p = {area, keys[i], values[i], .keep = keep, .new_key = true};
        root = trie_put_below(&p, root, 0);
        size += p.added;
    }
    return root == old ? trie : hash_map_make(area, root, size);
}

static size_t put_words(Term *to, const Term *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
    return count;
}

/* All pairs of both flat maps, by rising keys; how many. */
static size_t zip(Term a, Term b, Term *keys, Term *values) {
    const Term *keys_a = flat_map_keys(a), *values_a = flat_map_ptr(a)->values, *end_a = keys_a + flat_map_size(a);
    const Term *keys_b = flat_map_keys(b), *values_b = flat_map_ptr(b)->values, *end_b = keys_b + flat_map_size(b);
    size_t count = 0;
    for (; keys_a < end_a && keys_b < end_b; count++) {
        int order = term_compare_keys(*keys_a, *keys_b);
        if (order < 0) {
            keys[count] = *keys_a++, values[count] = *values_a++;
            continue;
        }
        keys[count] = *keys_b++, values[count] = *values_b++;
        keys_a += order == 0, values_a += order == 0;
    }
    put_words(values + count, values_a, (size_t)(end_a - keys_a));
    count += put_words(keys + count, keys_a, (size_t)(end_a - keys_a));
    put_words(values + count, values_b, (size_t)(end_b - keys_b));
    return count + put_words(keys + count, keys_b, (size_t)(end_b - keys_b));
}

/* Are those the keys of the map, word by word? One that another map has too may be another word: of zeros. */
static bool has_keys(Term map, const Term *keys, size_t count) {
    const Term *own = flat_map_keys(map);
    if (count != flat_map_size(map))
        return false;
    while (count > 0 && keys[count - 1] == own[count - 1])
        count--;
    return count == 0;
}

/* Built where it stays: a wide copy of words that were just written would have to wait for them. */
static Term merge_little(Area *area, Term a, Term b, size_t most) {
    FlatMap *map = (FlatMap *)area_alloc(area, 2 + most);
    Term *keys = area_alloc(area, 1 + most), *end = keys + 1 + most;
    size_t count = zip(a, b, keys + 1, map->values);
    bool is_b = count == flat_map_size(b); /* it has all the keys of `a`, so all pairs are its own */
    bool shares = is_b || has_keys(a, keys + 1, count);
    keys[0] = header_make(KIND_TUPLE, count);
    map->header = header_make(KIND_FLAT_MAP, 1 + count);
    map->keys = shares ? flat_map_ptr(a)->keys : boxed_make(keys);
    area_give_back(area, shares ? keys : keys + 1 + count, end);
    area_give_back(area, is_b ? (Term *)map : map->values + count, map->values + most);
    return is_b ? b : boxed_make(map);
}

static Term merge_flat_apart(Area *area, Term a, Term b) {
    Term keys[2 * MAP_FLAT_MAX], values[2 * MAP_FLAT_MAX], pairs[4 * MAP_FLAT_MAX];
    size_t count = zip(a, b, keys, values);
    if (count == flat_map_size(b))
        return b;
    if (has_keys(a, keys, count))
        return flat_map_make(area, flat_map_ptr(a)->keys, values, count);
    if (count <= MAP_FLAT_MAX)
        return flat_map_make(area, area_tuple(area, keys, count), values, count);
    for (size_t i = 0; i < count; i++) {
        pairs[2 * i] = keys[i];
        pairs[2 * i + 1] = values[i];
    }
    return map_from_pairs(area, pairs, count);
}

static Term merge_flat(Area *area, Term a, Term b) {
    size_t most = flat_map_size(a) + flat_map_size(b);
    if (flat_map_ptr(a)->keys == flat_map_ptr(b)->keys)
        return b;
    return most <= MAP_FLAT_MAX ? merge_little(area, a, b, most) : merge_flat_apart(area, a, b);
}

Term map_merge(Area *area, Term a, Term b) {
    if (map_size(a) == 0 || a == b)
        return b;
    if (map_size(b) == 0)
        return a;
    if (is_flat_map(a))
        return is_flat_map(b) ? merge_flat(area, a, b) : merge_flat_into_trie(area, b, a, true);
    return is_flat_map(b) ? merge_flat_into_trie(area, a, b, false) : merge_tries(area, a, b);
}
