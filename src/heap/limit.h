/*
 * May a collection begin? Whether a process goes over max_heap_size is told as by the stock runtime, which looks before
 * it collects, at what it knows then: what is to be built next does not count, however large. It counts afterwards, as
 * part of the block that the next collection finds.
 */
#ifndef VIV_HEAP_LIMIT_H
#define VIV_HEAP_LIMIT_H

#include "heap/heap.h"

/* A new process has a tiny block, and beside it what it was given. On the stock runtime it begins with a block for all
 * of that: what gives it one here, so that `need` words fit into it, is no collection there. */
bool heap_gets_first_block(const Heap *heap, CollectKind kind, size_t need);

/* `heap` has a limit. */
bool heap_exceeds_limit(const Heap *heap, CollectKind kind, bool major, size_t need);

#endif
