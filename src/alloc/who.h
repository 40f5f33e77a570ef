/*
 * Who asks for memory, as the layers above say it. Meaningless numbers here; they come back from the map of blocks.
 */
#ifndef VIV_ALLOC_WHO_H
#define VIV_ALLOC_WHO_H

#include "base/defs.h"

/* Set by whoever runs a process on this thread: its pid; 0: none runs. */
extern __thread uint64_t alloc_owner;
/* To the end of the block: what is made there is this process's. */
#define ALLOC_FOR(pid) __attribute__((cleanup(alloc_owner_back))) const uint64_t alloc_owner_before = alloc_for(pid)
/* Likewise: all have it, and nobody owns it. */
#define ALLOC_FOR_ALL ALLOC_FOR(0)
static inline uint64_t alloc_for(uint64_t owner) {
    uint64_t before = alloc_owner;
    alloc_owner = owner;
    return before;
}
static inline void alloc_owner_back(const uint64_t *owner) { alloc_owner = *owner; }
/* What alloc_site is given; NULL: nobody is at a place in a program. */
extern __thread const void *alloc_context;
/* Set once, before there are threads: the number of the place in the program, 0: unknown. Called while a block comes;
 * it must not allocate. */
extern uint32_t (*alloc_site)(const void *context);

#endif
