/*
 * Walking maps. Stock maps show two orders of a trie: keys, values and the external format go from the last child to
 * the first, an iterator from the first to the last. Children stand by rising hashes, their lowest nibble weighing
 * most.
 */
#include "base/long_work.h"
#include "term/map.h"
#include "term/map_trie.h"

static void enter(MapIterator *it, Term node, size_t left) {
    it->level[it->depth].children = node_children(boxed_ptr(node));
    it->level[it->depth].left = left;
    it->depth++;
}

static void enter_whole(MapIterator *it, Term node) { enter(it, node, node_count(boxed_ptr(node))); }

void map_iterator_init(MapIterator *it, Term map) {
    it->left = map_size(map);
    it->depth = 0;
    if (is_flat_map(map)) {
        it->keys = flat_map_keys(map);
        it->values = flat_map_ptr(map)->values;
    } else {
        it->keys = NULL;
        enter_whole(it, hash_map_ptr(map)->root);
    }
}

static Term next_cell(MapIterator *it) {
    while (it->depth > 0) {
        unsigned top = it->depth - 1;
        if (it->level[top].left == 0) {
            it->depth--;
            continue;
        }
        Term child = it->level[top].children[--it->level[top].left];
        if (is_list(child))
            return child;
        enter_whole(it, child);
    }
    return NO_CHILD;
}

bool map_iterator_next(MapIterator *it, Term *key, Term *value) {
    if (it->keys != NULL) {
        if (it->left == 0)
            return false;
        it->left--;
        *key = *it->keys++;
        *value = *it->values++;
        return true;
    }
    Term cell = next_cell(it);
    if (cell == NO_CHILD)
        return false;
    *key = list_head(cell);
    *value = list_tail(cell);
    return true;
}

#define UNITS_PER_PAIR 20 /* of long work */

/* Of the word at that place in each cell [Key | Value]. */
static Term list_of_cells(Area *area, Term map, unsigned at) {
    size_t left = map_size(map);
    Term *to = area_alloc(area, 2 * left), result = list_make(to);
    MapIterator it;
    map_iterator_init(&it, map);
    for (; left > 0; left--, to += 2) {
        to[0] = list_ptr(next_cell(&it))[at];
        to[1] = left > 1 ? list_make(to + 2) : NIL;
    }
    return result;
}

static Term list_of(Area *area, Term map, const Term *flat, unsigned at) {
    long_work_count_large(map_size(map), UNITS_PER_PAIR);
    return flat != NULL ? area_list(area, flat, flat_map_size(map)) : list_of_cells(area, map, at);
}

Term map_keys(Area *area, Term map) { return list_of(area, map, is_flat_map(map) ? flat_map_keys(map) : NULL, 0); }
Term map_values(Area *area, Term map) {
    return list_of(area, map, is_flat_map(map) ? flat_map_ptr(map)->values : NULL, 1);
}
