/*
 * Terms that are kept outside of processes.
 *
 * A literal area goes away when its module is purged, or its persistent term erased; only processes are asked to let go
 * of it first: their heaps and stacks, their message queues, the answer that they wait for (heap/literal.h). Whatever
 * else holds a term for later must hold it without references to literals: settings of the runtime, objects that a
 * magic reference leads to, what native code has left behind, and signals that carry a term to be used later than they
 * are handled.
 *
 * All of those hold a Kept. Only kept_make makes one, and it copies literals; so what a process may refer to cannot be
 * put there unnoticed (tools/tidy looks for other ways). docs/LITERALS.md lists who keeps what.
 *
 * A Kept belongs to one owner, who releases it or gives its memory to a heap. It never changes, so those to whom the
 * owner is published may read it at once. kept_make counts as long work; it may be called in an open section
 * (base/long_work.h) by a process for its own terms.
 */
#ifndef VIV_HEAP_KEPT_H
#define VIV_HEAP_KEPT_H

#include "heap/heap.h"

typedef struct {
    Term own;       /* read it by kept_term */
    Fragment *data; /* that it points into; NULL when it is immediate */
} Kept;
#define KEPT_NONE ((Kept){NON_VALUE, NULL})

Kept kept_make(Term t);
/* Good until it is released. It may be NON_VALUE: then nothing is kept. */
static inline Term kept_term(const Kept *k) { return k->own; }
/* As a term of that area, which may be used when the Kept is gone. */
Term kept_copy(const Kept *k, Area *to);
/* It is KEPT_NONE then. */
void kept_release(Kept *k);
/* Its memory becomes the heap's; it is KEPT_NONE then. */
Term kept_adopt(Kept *k, Heap *by);
/* Its memory follows another fragment's; it is KEPT_NONE then. */
Term kept_append(Kept *k, Fragment *to);

#endif
