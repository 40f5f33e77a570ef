/*
 * The flags of the stock runtime for memory, +M<Subsystem><Parameter> <Value>: erts_alloc(3), and +Mim and +Mis of
 * R9C's instrument(3).
 *
 * All of them are taken, with the values that the manual allows. Those that arrange the stock allocators' carriers have
 * no effect: there are none here (docs/MEMORY.md).
 */
#ifndef VIV_INIT_MEMORY_FLAGS_H
#define VIV_INIT_MEMORY_FLAGS_H

#include "base/defs.h"

typedef struct {
    bool map;    /* +Mim true, +M<S>atags true: each block is in the map from the start */
    bool status; /* +Mis true, +Mim true: maxima are kept */
    bool lock;   /* +Mlpm all: pages are not swapped out */
} MemoryFlags;

/* `name` is what follows +M. How long its name is (the rest, if any, is the value); 0: there is no such flag. */
size_t memory_flag_length(const char *name);
/* False: no such value. */
bool memory_flag_set(MemoryFlags *flags, const char *name, const char *value);

#endif
