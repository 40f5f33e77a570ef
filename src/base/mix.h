/*
 * Where a word of a hash table's key goes: each bit of the word reaches every bit of the result, so keys that follow
 * each other in some pattern, as numbers of atoms and addresses do, spread over any table. The finalizer of MurmurHash3
 * (Austin Appleby, public domain); it is a bijection.
 */
#ifndef VIV_BASE_MIX_H
#define VIV_BASE_MIX_H

#include <stdint.h>

/* 2^64 divided by the golden ratio: the upper bits of a word's product with it are a table's place that keys which
 * follow each other spread over, at the price of one multiplication (Knuth, The Art of Computer Programming, 6.4). The
 * lower bits are not: a place is taken by a shift to the right. */
#define MIX_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t mix_word(uint64_t word) {
    word = (word ^ word >> 33) * UINT64_C(0xff51afd7ed558ccd);
    word = (word ^ word >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return word ^ word >> 33;
}

#endif
