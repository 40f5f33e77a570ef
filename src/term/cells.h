/*
 * Walking along a list. Its cells mostly lie one behind the other, as a collection or a copy left them, or one before
 * the other, as they were built. So the next one's address need not wait until this one's tail has been read, which
 * takes a processor five cycles: the tail is only compared to it, and that it will be the same is foretold. Where cells
 * lie anywhere it is foretold that it will not.
 */
#ifndef VIV_TERM_CELLS_H
#define VIV_TERM_CELLS_H

#include "term/term.h"

/* Where a walk begins; it turns round by itself. */
#define CELL_STRIDE ((Word)(2 * sizeof(Term)))

/* The tail of a cell. */
force_inline Term next_cell(Term cell, Word *stride) {
    Term tail = list_ptr(cell)[1], guess = cell + *stride, next = guess;
    __asm__("" : "+r"(next)); /* it is not the tail to the compiler, even where it equals that */
    if (likely(tail == guess))
        return next;
    *stride = -*stride;
    return tail;
}

#endif
