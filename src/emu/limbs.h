/*
 * Integers of one limb, 0 to 2^64-1, which hashes and checksums are made of: results of them are built at the heap's
 * top without a call, and a product that is cut to 64 bits again costs no more than its two limbs.
 */
#ifndef VIV_EMU_LIMBS_H
#define VIV_EMU_LIMBS_H

#include "term/integer.h"

#define LIMBS_WORDS 3 /* two limbs and their header */

/* The lowest limb of an integer that is not negative. False: it is none. */
static inline bool limbs_lowest(Term t, uint64_t *limb) {
    if (is_small(t)) {
        *limb = (uint64_t)small_value(t);
        return (SWord)t >= 0;
    }
    if (!is_boxed_kind(t, KIND_POS_BIG))
        return false;
    *limb = boxed_ptr(t)[1];
    return true;
}
static inline bool limbs_are_one(Term t) { return is_small(t) || boxed_header(t) == header_make(KIND_POS_BIG, 1); }
static inline bool limbs_only(Term t, uint64_t *limb) { return limbs_lowest(t, limb) && limbs_are_one(t); }

/* Takes up to LIMBS_WORDS at the heap's top, where there is room for them. */
static inline Term limbs_at(Term **htop, unsigned __int128 value) {
    uint64_t low = (uint64_t)value, high = (uint64_t)(value >> 64);
    if (high == 0 && low <= (uint64_t)SMALL_MAX)
        return small_make((SWord)low);
    Term *p = *htop;
    p[1] = low;
    p[2] = high;
    p[0] = header_make(KIND_POS_BIG, high == 0 ? 1 : 2);
    *htop = p + (high == 0 ? 2 : 3);
    return boxed_make(p);
}

#endif
