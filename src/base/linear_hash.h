/*
 * Linear hashing: a hash table that grows and shrinks by single buckets, so that no step takes long (W. Litwin, Linear
 * hashing, VLDB 1980).
 *
 * With n buckets the place of a hash is found as if there were a power of two of them, n or the next above; if that one
 * is not there yet, what belongs in it is in its buddy, the one where it was when there were half as many. So bucket n
 * is added by taking what is its own out of its buddy, and the last one is taken away by giving that back.
 */
#ifndef VIV_BASE_LINEAR_HASH_H
#define VIV_BASE_LINEAR_HASH_H

#include "base/defs.h"

/* The largest power of two that is not above n, and the smallest that is not below; n is 2 at least. */
static inline uint32_t power_below(uint32_t n) { return UINT32_C(1) << (31 - __builtin_clz(n)); }
static inline uint32_t power_above(uint32_t n) { return 2 * power_below(n - 1); }

static inline uint32_t linear_index(uint32_t hash, uint32_t buckets) {
    uint32_t mask = power_above(buckets) - 1, index = hash & mask;
    return index < buckets ? index : index & mask >> 1;
}
static inline uint32_t linear_buddy(uint32_t index) { return index - power_below(index); }

#endif
