#include "term/map_trie.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/compare.h"
#include "term/hash.h"

#include <string.h>

Term *trie_node_make(Area *area, uint32_t bitmap, size_t count) {
    Term *node = area_alloc(area, 1 + count);
    node[0] = header_make(KIND_MAP_NODE, count) | (Term)bitmap << NODE_BITMAP_SHIFT;
    return node;
}

Term hash_map_make(Area *area, Term root, size_t size) {
    HashMap *map = (HashMap *)area_alloc(area, 3);
    map->header = header_make(KIND_HASH_MAP, 2);
    map->size = small_make((SWord)size);
    map->root = root;
    return boxed_make(map);
}

size_t trie_find_collision(const Term *node, Term key) {
    size_t i = 0, count = node_count(node);
    while (i < count && !term_identical(list_head(node_children(node)[i]), key))
        i++;
    return i;
}

const Term *trie_get(Term root, Term key, uint32_t hash) {
    const Term *node = boxed_ptr(root);
    for (;; hash >>= 4) {
        Term child;
        if (unlikely(node_is_collision(node))) {
            size_t i = trie_find_collision(node, key);
            return i == node_count(node) ? NULL : list_ptr(node_children(node)[i]) + 1;
        }
        uint32_t bitmap = node_bitmap(node), bit = 1u << (hash & 15);
        if ((bitmap & bit) == 0)
            return NULL;
        child = node_children(node)[__builtin_popcount(bitmap & (bit - 1))];
        if (is_list(child))
            return term_identical(list_head(child), key) ? list_ptr(child) + 1 : NULL;
        node = boxed_ptr(child);
    }
}

static Term with_child(Area *area, const Term *node, size_t index, Term child) {
    size_t count = node_count(node);
    Term *copy = trie_node_make(area, node_bitmap(node), count), *to = node_children_made(copy);
    memcpy(to, node_children(node), count * sizeof *to);
    to[index] = child;
    return boxed_make(copy);
}

static Term with_new_child(Area *area, const Term *node, uint32_t bitmap, size_t index, Term child) {
    size_t count = node_count(node);
    const Term *from = node_children(node);
    Term *copy = trie_node_make(area, bitmap, count + 1), *to = node_children_made(copy);
    memcpy(to, from, index * sizeof *to);
    to[index] = child;
    memcpy(to + index + 1, from + index, (count - index) * sizeof *to);
    return boxed_make(copy);
}

static Term without_child(Area *area, const Term *node, uint32_t bitmap, size_t index) {
    const Term *from = node_children(node);
    size_t count = node_count(node);
    if (count == 1)
        return NO_CHILD;
    if (count == 2 && is_list(from[1 - index]))
        return from[1 - index];
    Term *copy = trie_node_make(area, bitmap, count - 1), *to = node_children_made(copy);
    memcpy(to, from, index * sizeof *to);
    memcpy(to + index, from + index + 1, (count - 1 - index) * sizeof *to);
    return boxed_make(copy);
}

/* A node for two cells that meet at `level`; the hashes have been shifted to it. */
static Term join(Area *area, unsigned level, Term a, uint32_t hash_a, Term b, uint32_t hash_b) {
    Term *node;
    if (level == MAP_LEVELS) {
        node = trie_node_make(area, MAP_COLLISION, 2);
        node_children_made(node)[0] = a;
        node_children_made(node)[1] = b;
        return boxed_make(node);
    }
    unsigned x = hash_a & 15, y = hash_b & 15;
    if (x == y) {
        Term below = join(area, level + 1, a, hash_a >> 4, b, hash_b >> 4);
        node = trie_node_make(area, 1u << x, 1);
        node_children_made(node)[0] = below;
    } else {
        node = trie_node_make(area, 1u << x | 1u << y, 2);
        node_children_made(node)[x > y] = a;
        node_children_made(node)[y > x] = b;
    }
    return boxed_make(node);
}

/* The hash of a key from `level` on. */
static uint32_t hash_from(Term key, unsigned level) { return level == MAP_LEVELS ? 0 : term_hash(key) >> (4 * level); }

static Term put_own(TriePut *p) {
    if (p->cell == NO_CHILD)
        p->cell = area_cons(p->area, p->key, p->value);
    return p->cell;
}

static Term put_new(TriePut *p) {
    p->added = true;
    return put_own(p);
}

static Term put_cell(TriePut *p, Term cell, unsigned level, uint32_t hash) {
    if (!term_identical(list_head(cell), p->key))
        return join(p->area, level, cell, hash_from(list_head(cell), level), put_new(p), hash);
    bool is_same = list_tail(cell) == p->value && (list_head(cell) == p->key || !p->new_key);
    return p->keep || is_same ? cell : put_own(p); /* of two zeros the new one, as stock */
}

static Term put_collision(TriePut *p, const Term *node) {
    size_t i = trie_find_collision(node, p->key);
    if (i == node_count(node))
        return with_new_child(p->area, node, MAP_COLLISION, i, put_new(p));
    Term old = node_children(node)[i], cell = put_cell(p, old, MAP_LEVELS, 0);
    return cell == old ? boxed_make(node) : with_child(p->area, node, i, cell);
}

static Term put(TriePut *p, Term child, unsigned level, uint32_t hash) {
    if (is_list(child))
        return put_cell(p, child, level, hash);
    const Term *node = boxed_ptr(child);
    if (unlikely(node_is_collision(node)))
        return put_collision(p, node);
    uint32_t bitmap = node_bitmap(node), bit = 1u << (hash & 15);
    size_t index = (size_t)__builtin_popcount(bitmap & (bit - 1));
    if ((bitmap & bit) == 0)
        return with_new_child(p->area, node, bitmap | bit, index, put_new(p));
    Term old = node_children(node)[index], below = put(p, old, level + 1, hash >> 4);
    return below == old ? child : with_child(p->area, node, index, below);
}

Term trie_put_below(TriePut *p, Term child, unsigned level) { return put(p, child, level, hash_from(p->key, level)); }

Term trie_put(Area *area, Term root, Term key, Term value, bool *added) {
    TriePut p = {area, key, value, .cell = NO_CHILD};
    Term result = trie_put_below(&p, root, 0);
    *added = p.added;
    return result;
}

static Term take(Area *area, Term child, Term key, uint32_t hash, Term *taken) {
    if (is_list(child)) {
        if (!term_identical(list_head(child), key))
            return child;
        *taken = list_tail(child);
        return NO_CHILD;
    }
    const Term *node = boxed_ptr(child);
    if (unlikely(node_is_collision(node))) {
        size_t i = trie_find_collision(node, key);
        if (i == node_count(node))
            return child;
        *taken = list_tail(node_children(node)[i]);
        return without_child(area, node, MAP_COLLISION, i);
    }
    uint32_t bitmap = node_bitmap(node), bit = 1u << (hash & 15);
    if ((bitmap & bit) == 0)
        return child;
    size_t index = (size_t)__builtin_popcount(bitmap & (bit - 1));
    Term old = node_children(node)[index], below = take(area, old, key, hash >> 4, taken);
    if (below == old)
        return child;
    if (below == NO_CHILD)
        return without_child(area, node, bitmap & ~bit, index);
    if (is_list(below) && node_count(node) == 1)
        return below;
    return with_child(area, node, index, below);
}

Term trie_remove(Area *area, Term root, Term key, Term *taken) { return take(area, root, key, term_hash(key), taken); }

#define UNITS_PER_PAIR 120 /* of long work, beside hashes and comparisons */

/*
 * Building many at once: the pairs are split by the nibble of each level in turn, a stable counting sort between two
 * arrays, so that a node is made when all its children are known, and of equal keys the order tells the last.
 */
typedef struct {
    uint32_t hash, index;
} Item;

typedef struct {
    Area *area;
    const Term *pairs;
    size_t size;
} Build;

static Term build_cell(Build *b, Item item) {
    b->size++;
    return area_cons(b->area, b->pairs[2 * (size_t)item.index], b->pairs[2 * (size_t)item.index + 1]);
}

/* All items have the same hash: keeps the last of each key, moved to the front. Returns how many. */
static size_t unique(const Build *b, Item *items, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < kept && !term_identical(b->pairs[2 * (size_t)items[j].index], b->pairs[2 * (size_t)items[i].index]))
            j++;
        items[j] = items[i];
        kept += j == kept;
    }
    return kept;
}

static Term build_collision(Build *b, Item *items, size_t count) {
    count = unique(b, items, count);
    if (count == 1)
        return build_cell(b, items[0]);
    Term cells[16], *cell = count <= 16 ? cells : mem_alloc(ALLOC_TEMP, count * sizeof *cell);
    for (size_t i = 0; i < count; i++)
        cell[i] = build_cell(b, items[i]);
    Term *node = trie_node_make(b->area, MAP_COLLISION, count);
    memcpy(node_children_made(node), cell, count * sizeof *cell);
    if (cell != cells)
        mem_free(ALLOC_TEMP, cell);
    return boxed_make(node);
}

static Term build(Build *b, unsigned level, Item *items, Item *spare, size_t count) {
    if (count == 1)
        return build_cell(b, items[0]);
    if (level == MAP_LEVELS)
        return build_collision(b, items, count);
    size_t start[17] = {0};
    for (size_t i = 0; i < count; i++)
        start[(items[i].hash >> (4 * level) & 15) + 1]++;
    for (size_t i = 1; i < 17; i++)
        start[i] += start[i - 1];
    size_t next[16];
    memcpy(next, start, sizeof next);
    for (size_t i = 0; i < count; i++)
        spare[next[items[i].hash >> (4 * level) & 15]++] = items[i];
    Term children[16];
    uint32_t bitmap = 0;
    size_t n = 0;
    for (unsigned i = 0; i < 16; i++) {
        size_t in_bucket = start[i + 1] - start[i];
        if (in_bucket == 0)
            continue;
        bitmap |= 1u << i;
        children[n++] = build(b, level + 1, spare + start[i], items + start[i], in_bucket);
    }
    if (n == 1 && is_list(children[0]))
        return children[0];
    Term *node = trie_node_make(b->area, bitmap, n);
    memcpy(node_children_made(node), children, n * sizeof *children);
    return boxed_make(node);
}

Term trie_build(Area *area, const Term *pairs, size_t count, size_t *size) {
    require(count <= UINT32_MAX);
    *size = 0;
    long_work_count_large(count, UNITS_PER_PAIR);
    if (count == 0)
        return NO_CHILD;
    Item *items = mem_alloc(ALLOC_TEMP, 2 * count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = (Item){term_hash(pairs[2 * i]), (uint32_t)i};
    Build b = {area, pairs, 0};
    Term root = build(&b, 0, items, items + count, count);
    mem_free(ALLOC_TEMP, items);
    *size = b.size;
    return root;
}
