/*
 * What the walks of phash2 and term_hash share: how the pairs of a map are gone through on the stack. Each pair's hash
 * begins with 0, and they are joined in a way in which their order does not matter.
 */
#ifndef VIV_TERM_HASH_WALK_H
#define VIV_TERM_HASH_WALK_H

#include "base/estack.h"
#include "base/long_work.h"
#include "term/hash_mix.h"
#include "term/map.h"

#define HASH_UNITS_PER_TERM 12 /* of long work */
/* Marks on the stack, above the terms that follow. */
#define HASH_PAIR_END ((Term)TAG_HEADER)
#define HASH_MAP_END ((Term)(TAG_HEADER | 8))
#define HASH_TAIL_MARK ((Term)(TAG_HEADER | 16)) /* what follows is the tail of an improper list, or nil */

static inline void hash_push_backwards(EStack *stack, const Term *p, size_t count) {
    while (count > 0)
        estack_push(stack, p[--count]);
}

/* The joined hash so far and `hash` are kept below the pairs. Gives the hash to go on with. */
static inline uint32_t hash_push_pairs(EStack *stack, uint32_t hash, uint32_t *joined, Term map) {
    estack_push3(stack, *joined, hash, HASH_MAP_END);
    MapIterator it;
    Term key, value;
    long_work_count_large(map_size(map), HASH_UNITS_PER_TERM);
    map_iterator_init(&it, map);
    while (map_iterator_next(&it, &key, &value))
        estack_push3(stack, HASH_PAIR_END, value, key);
    *joined = 0;
    return 0;
}

static inline uint32_t hash_pair_end(uint32_t hash, uint32_t *joined) {
    *joined ^= hash;
    return 0;
}

static inline uint32_t hash_map_end(EStack *stack, uint32_t *joined) {
    uint32_t hash = hash_word((uint32_t)estack_pop(stack), *joined, hash_constant(19));
    *joined = (uint32_t)estack_pop(stack);
    return hash;
}

#endif
