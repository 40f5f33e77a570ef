/*
 * Letting go of literals: which words of a heap refer to some of the literal span, and copies in their place.
 *
 * Both walk everything that a collection would: stack, roots, and every object of the young and the old block and the
 * fragments, dead ones too. Who looks for references first looks at the words, whatever they are, and takes objects
 * apart only where one of them would be a reference: mostly there is none. Sharing is kept: what is referred to twice
 * is copied once. The copies are built in the heap's area; afterwards old objects may point to young ones, so a major
 * collection must come next, before anything else runs. By the owner's thread only, like a collection. Neither recurses
 * on the C stack. Both count as long work and look at nothing but the heap and the literals' words, so they may be
 * called in an open section (base/long_work.h).
 */
#ifndef VIV_HEAP_LITERAL_COPY_H
#define VIV_HEAP_LITERAL_COPY_H

#include "heap/heap.h"
#include "heap/literal.h"

typedef struct {
    LiteralSet set;
    /* Called for every word that refers to them, with where to; true: that is enough. NULL: the first one is. */
    bool (*found)(const void *literal, void *data);
    void *data;
} LiteralSearch;

/* False: none refers to them, or no call of `found` said that it is enough. */
bool literal_refers_words(const Term *words, size_t count, const LiteralSearch *search); /* roots: terms only */
bool literal_refers_objects(const Term *words, size_t count, const LiteralSearch *search);
bool literal_refers(const Heap *heap, const Rootset *roots, const LiteralSearch *search);
void literal_copy(Heap *heap, Rootset *roots, LiteralSet set);

#endif
