/*
 * Who asks for memory, as the layers above say it. Meaningless numbers here; they come back from the map of blocks.
 */
#ifndef VIV_ALLOC_WHO_H
#define VIV_ALLOC_WHO_H

#include "base/defs.h"

/* Set by whoever runs a process on this thread: its pid; 0: none runs. */
extern __thread uint64_t alloc_owner;
/* Set once, before the map is first on: the place in the program that the calling thread is at, 0: unknown. Called
 * while a block comes; it must not allocate. */
extern uint32_t (*alloc_site)(void);

#endif
