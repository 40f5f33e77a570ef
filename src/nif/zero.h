/*
 * The word 0 at the native interface. Here it is the integer 0; on the stock runtime it is no term at all, and
 * libraries count on that: a variable that begins as 0 has no term yet, and what they have made is something else. (The
 * parser of Debian's fast_yaml took `0` for a text.) So a library gets another word for the integer 0 where it asks for
 * a term of its own, and may hand in either. No other word in the runtime is this one, and it never lies on a heap.
 *
 * Given: what enif_make_* makes of a number, elements of lists and maps. Arguments and the elements of a tuple are read
 * in place, and are as they are. Taken: every term that a library hands in where an integer may stand, its results
 * among them; where none may stand both words are as wrong as each other.
 */
#ifndef VIV_NIF_ZERO_H
#define VIV_NIF_ZERO_H

#include "term/term.h"

#define NIF_ZERO ((Term)2 << IMM_SHIFT | IMM_SPECIAL)

static inline Term nif_give(Term t) { return unlikely(t == small_make(0)) ? NIF_ZERO : t; }
static inline Term nif_take(Term t) { return unlikely(t == NIF_ZERO) ? small_make(0) : t; }

static inline void nif_take_all(Term *to, const Term *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = nif_take(from[i]);
}

#endif
