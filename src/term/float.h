/*
 * Floats: the only place that knows how a double becomes a word.
 *
 * A double whose three high exponent bits are 000, 011 or 100 (0.0, and magnitudes from about 1e-77 to 1e77) tags
 * itself: its bits rotated left by 4, plus 1. The others are boxed (KIND_FLOAT, one word). A value has one form only,
 * so equal bits are equal words for self-tagged floats; but 0.0 and -0.0 are different words that compare equal
 * (compare.h). No NaN and no infinity is ever a term: whoever computes checks float_is_finite before float_make.
 */
#ifndef VIV_TERM_FLOAT_H
#define VIV_TERM_FLOAT_H

#include "term/area.h"

#include <string.h>

#define FLOAT_WORDS 2 /* at most, boxed */

static inline uint64_t float_bits(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}
static inline double float_from_bits(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static inline bool float_is_finite(double d) { return (float_bits(d) << 1) < ((uint64_t)0x7ff << 53); }

static inline bool is_self_float(Term t) { return (0x32u >> (t & TAG_MASK)) & 1; }
/* 0.0 or -0.0, which may be the same term. */
static inline bool is_zero_float(Term t) { return (t | 8) == 9; }
static inline bool is_boxed_float(Term t) { return is_boxed_kind(t, KIND_FLOAT); }
static inline bool is_float(Term t) { return is_self_float(t) || is_boxed_float(t); }
static inline bool is_number(Term t) { return is_small(t) || is_float(t) || is_big(t); }

static inline double self_float_value(Term t) { return float_from_bits(__builtin_rotateright64(t - 1, 4)); }
static inline double boxed_float_value(Term t) { return float_from_bits(boxed_ptr(t)[1]); }
/* `t` is a float. */
static inline double float_value(Term t) {
    return likely(is_self_float(t)) ? self_float_value(t) : boxed_float_value(t);
}

/* The self-tagged form, or a word that is_self_float denies. */
static inline Term float_try_self(double d) { return __builtin_rotateleft64(float_bits(d), 4) + 1; }
/* `d` is finite. Takes FLOAT_WORDS of the area only when `d` does not tag itself. */
static inline Term float_make(Area *area, double d) {
    Term t = float_try_self(d);
    if (likely(is_self_float(t)))
        return t;
    Term *p = area_alloc(area, FLOAT_WORDS);
    p[0] = header_make(KIND_FLOAT, 1);
    p[1] = float_bits(d);
    return boxed_make(p);
}

#endif
