/* The parts of comparison that look at no other terms: ranks, numbers, and what is neither. For compare.c. */
#ifndef VIV_TERM_COMPARE_LEAF_H
#define VIV_TERM_COMPARE_LEAF_H

#include "term/float.h"

/* Ascending term order of kinds. Local funs come before external ones, but are of one rank with them. */
typedef enum {
    RANK_NUMBER,
    RANK_ATOM,
    RANK_REF,
    RANK_FUN,
    RANK_PORT,
    RANK_PID,
    RANK_TUPLE,
    RANK_MAP,
    RANK_NIL,
    RANK_LIST,
    RANK_BITS,
} Rank;
Rank term_rank_boxed(Term t);
Rank term_rank_immediate(Term t);
static inline Rank term_rank(Term t) {
    return is_list(t) ? RANK_LIST : is_boxed(t) ? term_rank_boxed(t) : term_rank_immediate(t);
}

static inline int compare_words(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }
static inline bool are_lists(Term a, Term b) { return (((a - TAG_LIST) | (b - TAG_LIST)) & TAG_MASK) == 0; }
static inline bool are_boxed(Term a, Term b) { return (((a - TAG_BOXED) | (b - TAG_BOXED)) & TAG_MASK) == 0; }

/* exact: integers before floats. */
int compare_numbers(Term a, Term b, bool exact);
/* Atoms, references, ports, pids, bitstrings: two terms of that rank. */
int compare_leaves(Term a, Term b, Rank rank);
/* What comes before the environments of local funs; all there is of external ones. */
int compare_fun_entries(Term a, Term b);

#endif
