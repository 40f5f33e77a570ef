/*
 * Maps: flat up to MAP_FLAT_MAX keys, a 16-way hash trie above. A map of n keys has always the form that n says.
 *
 * FlatMap: keys are a tuple in the order of keys (term_compare_keys), shared among maps that differ in values only.
 * HashMap: {header, size, root}. A node (KIND_MAP_NODE) is {header, children in bit order}, one child per set bit of
 * the 16-bit bitmap in the header's upper half; a child is a list cell [Key | Value] or a node. Level n branches on
 * bits 4n..4n+3 of the key's term_hash. After eight levels the hash is used up: keys with the same hash lie in a
 * collision node, whose bitmap is MAP_COLLISION and whose children are cells only. No node has a single cell as its
 * only child, except the root while building never shows one: keys that part late are joined by a chain of one-child
 * nodes.
 *
 * Updates copy the path to what changes; nothing is mutated. Iteration order is stable for one map value: key order
 * when flat, that of the hashes when large (falling here, rising in map_next: as stock maps show both).
 */
#ifndef VIV_TERM_MAP_H
#define VIV_TERM_MAP_H

#include "base/copy_bytes.h"
#include "term/float.h"

#define MAP_COLLISION 0x10000
#define MAP_LEVELS 8
#define MAP_BRANCHES 16

static inline bool is_flat_map(Term t) { return is_boxed_kind(t, KIND_FLAT_MAP); }
static inline bool is_hash_map(Term t) { return is_boxed_kind(t, KIND_HASH_MAP); }
static inline FlatMap *flat_map_ptr(Term t) { return (FlatMap *)boxed_ptr(t); }
static inline HashMap *hash_map_ptr(Term t) { return (HashMap *)boxed_ptr(t); }
static inline size_t flat_map_size(Term t) { return header_arity(boxed_header(t)) - 1; }
static inline size_t map_size(Term t) {
    return is_flat_map(t) ? flat_map_size(t) : (size_t)small_value(hash_map_ptr(t)->size);
}
static inline const Term *flat_map_keys(Term t) { return tuple_elements(flat_map_ptr(t)->keys); }

/* The place of the value, NULL when the key is not there. Good until the next collection. */
const Term *map_get(Term map, Term key);
/* The same with term_hash(key) known. */
const Term *map_get_hashed(Term map, Term key, uint32_t hash);

/* May a key be found by comparing words? Not what is behind a pointer, nor 0.0, which has two words. */
static inline bool map_key_is_plain(Term key) { return !is_pointer(key) && !is_self_float(key); }
/* map_get without a call for plain keys of flat maps: for instructions. */
static inline const Term *map_get_plain(Term map, Term key) {
    const Term *keys = flat_map_keys(map);
    for (size_t i = 0, size = flat_map_size(map); i < size; i++)
        if (keys[i] == key)
            return &flat_map_ptr(map)->values[i];
    return NULL;
}

Term map_empty(Area *area);
/* Adds or replaces. The same map when nothing changes. */
Term map_put(Area *area, Term map, Term key, Term value);
/* What a flat map takes with its tuple of keys. */
static inline size_t flat_map_words(size_t count) { return 1 + count + 2 + count; }
/* map_put of a flat map of fewer keys than MAP_FLAT_MAX, at *to, where there is room for so many words; *to goes behind
 * what was made. */
static inline size_t flat_map_put_words(Term map) { return flat_map_words(flat_map_size(map) + 1); }
Term flat_map_put(Term **to, Term map, Term key, Term value);
/* Replaces; NON_VALUE when the key is not there. */
Term map_update(Area *area, Term map, Term key, Term value);
/* Without the key; the same map when it is not there. *taken (if not NULL): the value, or NON_VALUE. */
Term map_remove(Area *area, Term map, Term key, Term *taken);
/* `pairs` holds `count` keys and values by turns, in any order; of equal keys the last wins. */
Term map_from_pairs(Area *area, const Term *pairs, size_t count);
/* put_map_assoc of many: adds or replaces all of them. */
Term map_put_many(Area *area, Term map, const Term *pairs, size_t count);
/* put_map_exact of many; NON_VALUE when a key is not there (*missing: the key). */
Term map_update_many(Area *area, Term map, const Term *pairs, size_t count, Term *missing);
/* A flat map with a tuple of keys of its own, at `tuple`, in one piece: both are to be filled by the caller. */
static inline FlatMap *flat_map_at(Term *tuple, size_t count, Term **keys) {
    FlatMap *map = (FlatMap *)(tuple + 1 + count);
    tuple[0] = header_make(KIND_TUPLE, count);
    map->header = header_make(KIND_FLAT_MAP, 1 + count);
    map->keys = boxed_make(tuple);
    *keys = tuple + 1;
    return map;
}
static inline FlatMap *flat_map_alloc(Area *area, size_t count, Term **keys) {
    return flat_map_at(area_alloc(area, flat_map_words(count)), count, keys);
}
/* A copy of a flat map at `to`, of so many words, for the caller to exchange values of; keys are shared. */
static inline size_t flat_map_copy_words(Term map) { return 2 + flat_map_size(map); }
static inline FlatMap *flat_map_copy(Term *to, Term map) {
    const FlatMap *from = flat_map_ptr(map);
    FlatMap *made = (FlatMap *)to;
    made->header = from->header;
    made->keys = from->keys;
    copy_few_words(made->values, from->values, flat_map_size(map));
    return made;
}
/* A flat map from keys that are sorted and different already (a literal or another map's tuple of keys). */
Term flat_map_make(Area *area, Term keys, const Term *values, size_t count);
/* b's values win. */
Term map_merge(Area *area, Term a, Term b);

Term map_keys(Area *area, Term map); /* lists, in iteration order */
Term map_values(Area *area, Term map);

/* Iteration */
typedef struct {
    const Term *keys, *values; /* flat */
    size_t left; /* pairs not yet given */
    unsigned depth;
    struct {
        const Term *children;
        size_t left; /* children not yet taken, the last first */
    } level[MAP_LEVELS + 1];
} MapIterator;
void map_iterator_init(MapIterator *it, Term map);
/* False at the end. */
bool map_iterator_next(MapIterator *it, Term *key, Term *value);

/* What erts_internal:map_next/3 needs, for large maps: up to `max` pairs (2 words each) from *position on (0 at first;
 * it fits a small), which is moved behind them; MAP_POSITION_END when there are no more. Returns how many pairs. The
 * order is an iterator's: the reverse of a MapIterator's. */
#define MAP_POSITION_END UINT64_MAX
#define MAP_POSITION_MAX (((uint64_t)1 << 56) - 1) /* of one that there may be */
size_t map_next(Term map, uint64_t *position, Term *pairs, size_t max);

#endif
