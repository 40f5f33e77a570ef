/* Operands that a list holds: where a value is, and where one goes. */
#ifndef VIV_EMU_SOURCE_H
#define VIV_EMU_SOURCE_H

#include "term/term.h"

static inline Term *register_place(Term *x, Term *E, uint16_t place) {
    return (Term *)((char *)(place & 1 ? E : x) + (place & ~1));
}
static inline Term source_value(const Term *x, const Term *E, Word source) {
    if ((source & TAG_MASK) != TAG_HEADER)
        return source;
    return *(const Term *)((const char *)(source & 8 ? E : x) + (source >> 8));
}

#endif
