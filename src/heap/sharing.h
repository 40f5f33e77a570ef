/*
 * Sharing inside of terms: what is met twice on different ways is one cell or boxed term.
 *
 * It is found by the addresses, in a table that lasts for the walk. Nothing here recurses on the C stack. Walks count
 * as long work (base/long_work.h).
 */
#ifndef VIV_HEAP_SHARING_H
#define VIV_HEAP_SHARING_H

#include "term/area.h"

/* Pointers that were met, with what became of them: open addressing, never more than half full. */
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

/* Words that term_copy_shared will take. */
size_t term_shared_size(Term t, bool literals_too);
/* A copy in which is shared what was shared; parts of a binary come each for itself, and share its bytes. Without
 * `literals_too` it refers to literals, which must not be about to go (heap/literal.h): for the process's own area.
 * `met`, unless NULL, is how many cells and boxed terms it has. */
Term term_copy_shared(Term t, bool literals_too, Area *to, size_t *met);

#endif
