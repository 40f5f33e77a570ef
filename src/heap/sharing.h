/*
 * Sharing inside of terms: what is met twice on different ways is one cell or boxed term.
 *
 * It is found by the addresses. A walk marks what it comes to, two bits for each word of memory: most of a term is met
 * once, and costs no more than that. Only what is met again has a place in a table, with its copy. Nothing here
 * recurses on the C stack. Walks count as long work (base/long_work.h).
 */
#ifndef VIV_HEAP_SHARING_H
#define VIV_HEAP_SHARING_H

#include "term/area.h"

/* Pointers that were met, or other words but 0, with what became of them: open addressing, never more than half
 * full. */
typedef struct {
    struct MetSlot {
        Term from, to;
    } *slots;
    size_t size, count;
} Met;

void met_init(Met *met);
void met_release(Met *met);
/* Where the pointer's copy is kept; *is_new: it was not met before. Good until the next call. */
Term *met_put(Met *met, Term t, bool *is_new);

/* The words of a cell or boxed term, and how many of those from *first on are terms. */
size_t term_own_words(Term t, size_t *first, size_t *terms);

/* One walk, or two: what sharing_measure has met is what sharing_copy copies. Nothing may move or collect between. */
typedef struct {
    Met pages;      /* by number, their marks */
    uintptr_t last; /* that was looked up; 0: none */
    uint64_t *last_marks;
    size_t count; /* different cells and boxed terms */
    bool literals_too, has_shared;
} Sharing;

/* Without `literals_too` literals are passed over. */
void sharing_init(Sharing *s, bool literals_too);
void sharing_release(Sharing *s);
/* Is this one of the cells and boxed terms, for the first time? */
bool sharing_meet(Sharing *s, Term t);
/* Words of a copy in which is shared what is shared here. */
size_t sharing_measure(Sharing *s, Term t);
/* That copy, of what was measured; parts of a binary come each for itself, and share its bytes. Without literals_too it
 * refers to literals, which must not be about to go (heap/literal.h): for the process's own area. */
Term sharing_copy(Sharing *s, Term t, Area *to);

#endif
