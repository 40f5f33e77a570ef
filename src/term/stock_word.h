/*
 * Which integers are small on the stock runtime, and its words for those and []: hashes that its maps' order follows
 * are made of them.
 */
#ifndef VIV_TERM_STOCK_WORD_H
#define VIV_TERM_STOCK_WORD_H

#include "term/float.h"
#include "term/term.h"

/* A stock small has 60 bits under a tag of four ones. What is larger is a bignum there, which functions that ask for a
 * small refuse. */
#define STOCK_SMALL_BITS 60
#define STOCK_SMALL_MAX (((SWord)1 << (STOCK_SMALL_BITS - 1)) - 1)
static inline bool stock_is_small(SWord v) { return likely(v <= STOCK_SMALL_MAX && v >= -STOCK_SMALL_MAX - 1); }
static inline bool is_stock_small(Term t) { return is_small(t) && stock_is_small(small_value(t)); }
static inline uint64_t stock_small(SWord v) { return (uint64_t)v << 4 | 15; }

#define STOCK_NIL 0x3b

/* Is it one word there? Integers that are small here need not be, and floats are none. */
static inline bool stock_is_immediate(Term t) {
    return is_small(t) ? stock_is_small(small_value(t)) : !is_pointer(t) && !is_self_float(t);
}
/* That word; of atoms, pids and ports, which have other ones in each run, our own. */
static inline uint64_t stock_word(Term t) {
    return is_small(t) ? stock_small(small_value(t)) : t == NIL ? STOCK_NIL : t;
}

#endif
