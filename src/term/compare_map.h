/*
 * The order of two maps of one size whose keys do not stand in term order, for compare.c.
 *
 * By definition their keys are compared in ascending order, and then the values in the order of the keys. What decides
 * is the smallest key that only one of them has (its owner is the smaller map: the other has a greater key there), or,
 * when the keys are the same, the values at the smallest key at which they differ. So nothing is sorted: the keys in
 * question are gathered by walking both tries in step, which passes over what they share, and compare.c finds the
 * smallest of them, one comparison after the other, without recursion. Whether two values that hold other terms are
 * equal is left to it as well: to ask here would look at what is nested deep once for each level.
 */
#ifndef VIV_TERM_COMPARE_MAP_H
#define VIV_TERM_COMPARE_MAP_H

#include "term/term.h"

typedef struct {
    Term key;
    const Term *a, *b; /* the values; NULL in the map that has not got the key */
} MapDifference;

/* The differences, all of keys or all of values, which may be equal yet; *count of them, to be freed with
 * mem_free(ALLOC_TEMP, ..). NULL: none, the maps are equal. `exact`: how values are compared. */
MapDifference *map_differences(Term a, Term b, bool exact, size_t *count);

#endif
