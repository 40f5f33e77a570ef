#include "term/compare_map.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/map_find.h"
#include "term/map_trie.h"

#define UNITS_PER_NODE 60 /* of long work */

typedef struct {
    MapDifference *found;
    size_t count, capacity;
    bool exact;     /* how values are compared */
    bool only_keys; /* a key is missing in one of them: values are of no interest any more */
    unsigned left;  /* of long work */
} Search;

static noinline void found_grow(Search *s) {
    s->capacity = 2 * s->capacity + 16;
    s->found = mem_realloc(ALLOC_TEMP, s->found, s->capacity * sizeof *s->found);
}

static void add(Search *s, MapDifference difference) {
    if (s->count == s->capacity)
        found_grow(s);
    s->found[s->count++] = difference;
}

/* Only one of them has the key: the other value is NULL. */
static void add_key(Search *s, Term key, const Term *a, const Term *b) {
    if (!s->only_keys)
        s->count = 0;
    s->only_keys = true;
    add(s, (MapDifference){key, a, b});
}

static bool holds_terms(Term t) { return is_list(t) || (is_boxed(t) && !header_is_opaque(boxed_header(t))); }

/* Are they equal, as far as is to be seen without looking into them? */
static bool are_equal(const Search *s, Term a, Term b) {
    if (holds_terms(a) && holds_terms(b) && !is_bitstring(a))
        return false;
    return s->exact ? term_identical(a, b) : term_equal(a, b);
}

static void same_key(Search *s, Term key, const Term *a, const Term *b) {
    if (*a != *b && !s->only_keys && !are_equal(s, *a, *b))
        add(s, (MapDifference){key, a, b});
}

typedef enum { OF_A, OF_B } Side;
static void add_cell(Search *s, Term cell, Side side) {
    const Term *value = list_ptr(cell) + 1;
    add_key(s, list_head(cell), side == OF_A ? value : NULL, side == OF_A ? NULL : value);
}

/* Two cells with the same key; `side` is the first one's. */
static void same_cells(Search *s, Term cell, Term other, Side side) {
    const Term *value = list_ptr(cell) + 1, *other_value = list_ptr(other) + 1;
    same_key(s, list_head(cell), side == OF_A ? value : other_value, side == OF_A ? other_value : value);
}

/* All that is below a child, but for the key of the cell `except`, or NO_CHILD. Was it there? */
static bool add_all(Search *s, Term child, Side side, Term except) {
    if (is_list(child)) {
        bool is_there = except != NO_CHILD && term_identical(list_head(child), list_head(except));
        if (is_there)
            same_cells(s, child, except, side);
        else
            add_cell(s, child, side);
        return is_there;
    }
    const Term *node = boxed_ptr(child);
    bool is_there = false;
    s->left = long_work_step(s->left, UNITS_PER_NODE);
    for (size_t i = 0; i < node_count(node); i++)
        is_there |= add_all(s, node_children(node)[i], side, except);
    return is_there;
}

/* A child of one of them, and what stands in its place in the other. */
static void search_cell(Search *s, Term child, Side side, Term cell) {
    if (!add_all(s, child, side, cell))
        add_cell(s, cell, side == OF_A ? OF_B : OF_A);
}

/* Two nodes for keys of one hash. */
static void search_collisions(Search *s, const Term *x, const Term *y) {
    const Term *in_x = node_children(x), *in_y = node_children(y);
    for (size_t i = 0; i < node_count(x); i++) {
        size_t j = trie_find_collision(y, list_head(in_x[i]));
        if (j == node_count(y))
            add_cell(s, in_x[i], OF_A);
        else
            same_cells(s, in_x[i], in_y[j], OF_A);
    }
    for (size_t j = 0; j < node_count(y); j++)
        if (trie_find_collision(x, list_head(in_y[j])) == node_count(x))
            add_cell(s, in_y[j], OF_B);
}

static void search_children(Search *s, Term x, Term y);

static void search_nodes(Search *s, const Term *x, const Term *y) {
    uint32_t in_x = node_bitmap(x), in_y = node_bitmap(y);
    s->left = long_work_step(s->left, UNITS_PER_NODE);
    x = node_children(x);
    y = node_children(y);
    for (uint32_t rest = in_x | in_y; rest != 0; rest &= rest - 1) {
        uint32_t bit = rest & -rest;
        if ((in_x & bit) == 0)
            add_all(s, *y++, OF_B, NO_CHILD);
        else if ((in_y & bit) == 0)
            add_all(s, *x++, OF_A, NO_CHILD);
        else
            search_children(s, *x++, *y++);
    }
}

/* Recursion is bounded by MAP_LEVELS, here and above. */
static void search_children(Search *s, Term x, Term y) {
    if (x == y)
        return;
    if (is_list(y))
        search_cell(s, x, OF_A, y);
    else if (is_list(x))
        search_cell(s, y, OF_B, x);
    else if (node_is_collision(boxed_ptr(x)))
        search_collisions(s, boxed_ptr(x), boxed_ptr(y));
    else
        search_nodes(s, boxed_ptr(x), boxed_ptr(y));
}

/* Flat maps whose keys do not stand in term order. */
static void search_flat(Search *s, Term a, Term b) {
    const Term *keys_a = flat_map_keys(a), *keys_b = flat_map_keys(b);
    const Term *values_a = flat_map_ptr(a)->values, *values_b = flat_map_ptr(b)->values;
    size_t size = flat_map_size(a);
    for (size_t i = 0; i < size; i++) {
        size_t j = flat_map_find(keys_b, size, keys_a[i]);
        if (j == size)
            add_key(s, keys_a[i], values_a + i, NULL);
        else
            same_key(s, keys_a[i], values_a + i, values_b + j);
    }
    for (size_t j = 0; j < size && s->only_keys; j++)
        if (flat_map_find(keys_a, size, keys_b[j]) == size)
            add_key(s, keys_b[j], NULL, values_b + j);
}

MapDifference *map_differences(Term a, Term b, bool exact, size_t *count) {
    Search s = {.exact = exact, .left = LONG_WORK_ROUND};
    if (is_flat_map(a))
        search_flat(&s, a, b);
    else
        search_children(&s, hash_map_ptr(a)->root, hash_map_ptr(b)->root);
    long_work_rest(s.left, UNITS_PER_NODE);
    *count = s.count;
    return s.found;
}
