/* Walking maps. In a trie the order is that of the hashes' nibbles, the lowest nibble weighing most: see position_of. */
#include "term/hash.h"
#include "term/map.h"
#include "term/map_trie.h"

static void enter(MapIterator *it, Term node, unsigned first) {
    const Term *p = boxed_ptr(node);
    it->level[it->depth].children = p + 2;
    it->level[it->depth].next = first;
    it->level[it->depth].count = (unsigned)node_count(p);
    it->depth++;
}

void map_iterator_init(MapIterator *it, Term map) {
    it->left = map_size(map);
    it->depth = 0;
    if (is_flat_map(map)) {
        it->keys = flat_map_keys(map);
        it->values = flat_map_ptr(map)->values;
    } else {
        it->keys = NULL;
        enter(it, hash_map_ptr(map)->root, 0);
    }
}

static Term next_cell(MapIterator *it) {
    while (it->depth > 0) {
        unsigned top = it->depth - 1;
        if (it->level[top].next == it->level[top].count) {
            it->depth--;
            continue;
        }
        Term child = it->level[top].children[it->level[top].next++];
        if (is_list(child))
            return child;
        enter(it, child, 0);
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

static Term list_of(Area *area, Term map, Term (*item)(Area *, Term, Term)) {
    MapIterator it;
    Term key, value, result = NIL, *tail = &result;
    map_iterator_init(&it, map);
    while (map_iterator_next(&it, &key, &value)) {
        Term cell = area_cons(area, item(area, key, value), NIL);
        *tail = cell;
        tail = list_ptr(cell) + 1;
    }
    return result;
}

static Term item_key(Area *area, Term key, Term value) { return key; }
static Term item_value(Area *area, Term key, Term value) { return value; }

Term map_keys(Area *area, Term map) { return list_of(area, map, item_key); }
Term map_values(Area *area, Term map) { return list_of(area, map, item_value); }
Term map_to_list(Area *area, Term map) { return list_of(area, map, area_tuple2); }

/* The hash with its nibbles turned round: its order is the order of iteration. */
static uint32_t position_of(Term key) {
    uint32_t h = __builtin_bswap32(term_hash(key));
    return (h & 0x0f0f0f0f) << 4 | (h >> 4 & 0x0f0f0f0f);
}

/* Prepares *it to give the cells from `position` on. */
static void seek(MapIterator *it, Term map, uint32_t position) {
    it->keys = NULL;
    it->depth = 0;
    Term node = hash_map_ptr(map)->root;
    for (unsigned level = 0;; level++) {
        const Term *p = boxed_ptr(node);
        uint32_t bitmap = node_bitmap(p);
        if (bitmap == MAP_COLLISION) {
            enter(it, node, 0);
            return;
        }
        uint32_t bit = 1u << (position >> (28 - 4 * level) & 15);
        unsigned index = (unsigned)__builtin_popcount(bitmap & (bit - 1));
        if ((bitmap & bit) == 0) {
            enter(it, node, index);
            return;
        }
        Term child = p[2 + index];
        if (is_list(child)) {
            enter(it, node, index + (position_of(list_head(child)) < position));
            return;
        }
        enter(it, node, index + 1);
        node = child;
    }
}

/* A position is the turned hash of the next key, and how many keys of the same hash were given already. */
#define POSITION_SKIP_BITS 24
#define POSITION_SKIP_MASK (((uint64_t)1 << POSITION_SKIP_BITS) - 1)

size_t map_next(Term map, uint64_t *position, Term *pairs, size_t max) {
    if (*position == MAP_POSITION_END)
        return 0;
    MapIterator it;
    uint64_t last = *position >> POSITION_SKIP_BITS, skip = *position & POSITION_SKIP_MASK, nth = 0;
    seek(&it, map, (uint32_t)last);
    size_t count = 0;
    for (Term cell; (cell = next_cell(&it)) != NO_CHILD;) {
        uint64_t here = position_of(list_head(cell));
        if (here != last)
            nth = skip = 0;
        last = here;
        if (count == max) {
            *position = here << POSITION_SKIP_BITS | nth;
            return count;
        }
        if (nth++ < skip)
            continue;
        skip = 0;
        pairs[2 * count] = list_head(cell);
        pairs[2 * count + 1] = list_tail(cell);
        count++;
    }
    *position = MAP_POSITION_END;
    return count;
}
