/*
 * The order of terms: number < atom < reference < fun < port < pid < tuple < map < nil < list < bitstring.
 *
 * Two orders: term_compare is that of `<` and `==`, where an integer and a float of the same value are equal (compared
 * exactly, however large); term_compare_exact is that of `=:=` and of keys in maps, where integers come before floats.
 * 0.0 and -0.0 are equal; with RELEASE_SIGNED_ZEROS they are so in the first order only, and -0.0 comes first in the
 * second. Map order: size, then keys in exact order, then values.
 * A third order, term_compare_keys, is that in which the keys of a flat map stand: the exact one, but with
 * RELEASE_ATOM_KEYS_BY_INDEX two atoms stand by their indices.
 * No C recursion; no allocation except of the explicit stack when terms are nested more than some dozen levels deep.
 */
#ifndef VIV_TERM_COMPARE_H
#define VIV_TERM_COMPARE_H

#include "sys/release.h"
#include "term/atom.h"
#include "term/float.h"

/* <0, 0, >0 */
int term_compare_slow(Term a, Term b);
int term_compare_exact_slow(Term a, Term b);
/* Of different words: TERM_SAME or not, and TERM_WORKED_LONG unless little was looked at. `openly`: what takes long is
 * done in an open section (base/long_work.h), which is left again. */
enum { TERM_SAME = 1, TERM_WORKED_LONG = 2 };
unsigned term_equal_words(Term a, Term b, bool openly);
unsigned term_identical_words(Term a, Term b, bool openly);

static inline int term_compare(Term a, Term b) {
    if (a == b)
        return 0;
    if (are_small(a, b))
        return (SWord)a < (SWord)b ? -1 : 1;
    return term_compare_slow(a, b);
}
/* <; most of what is not small is two floats. */
static inline bool term_is_less(Term a, Term b) {
    if (is_self_float(a) && is_self_float(b))
        return self_float_value(a) < self_float_value(b);
    return term_compare(a, b) < 0;
}
static inline int term_compare_exact(Term a, Term b) {
    if (a == b)
        return 0;
    if (are_small(a, b))
        return (SWord)a < (SWord)b ? -1 : 1;
    return term_compare_exact_slow(a, b);
}
static inline int term_compare_keys(Term a, Term b) {
    if (!is_atom(a) || !is_atom(b))
        return term_compare_exact(a, b);
    if (release_has(RELEASE_ATOM_KEYS_BY_INDEX))
        return a < b ? -1 : a > b;
    return atom_compare(a, b);
}
/* Different words that are not ==, as one glance tells: both are small integers, or one is no number and no pointer. */
static inline bool term_is_unequal_plainly(Term a, Term b) {
    return are_small(a, b) || term_tag(a) == TAG_IMMEDIATE || term_tag(b) == TAG_IMMEDIATE;
}
/* == */
static inline bool term_equal(Term a, Term b) {
    return a == b || (!term_is_unequal_plainly(a, b) && (term_equal_words(a, b, false) & TERM_SAME));
}
/* Two words that are not the same term, as one glance tells: they are not both pointers, nor zero floats. */
static inline bool term_differs_plainly(Term a, Term b) { return !(is_pointer(a) && is_pointer(b)) && (a | b) != 9; }
/* =:=. Different words can be the same term only when both are pointers, or both are zero floats (words 1 and 9). */
static inline bool term_identical(Term a, Term b) {
    if (a == b)
        return true;
    if (is_pointer(a) && is_pointer(b))
        return ((a ^ b) & TAG_MASK) == 0 && (term_identical_words(a, b, false) & TERM_SAME);
    return unlikely((a | b) == 9) && (a & b) == 1 && !release_has(RELEASE_SIGNED_ZEROS);
}

#endif
