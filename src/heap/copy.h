/*
 * Deep copies between areas: messages, spawn arguments, table objects, literals.
 *
 * Sharing inside the source is not preserved (as in the stock runtime). Literals are not copied: the copy refers to
 * them (but for those of an area that is going away, heap/literal.h). Neither call recurses on the C stack. Off-heap
 * objects get a reference more. Match contexts are never in a source.
 */
#ifndef VIV_HEAP_COPY_H
#define VIV_HEAP_COPY_H

#include "term/area.h"

/* Words that term_copy will take; literals count nothing. While a literal area is going away (heap/literal.h) it may be
 * more, never less: who reserves by it takes what the copy leaves. */
size_t term_flat_size(Term t);
/* The same with literals counted too: what a copy into a literal area or another node needs. erts_debug:flat_size/1. */
size_t term_flat_size_literals(Term t);
Term term_copy(Term t, Area *to);
/* Copies literals too. */
Term term_copy_literals(Term t, Area *to);

#endif
