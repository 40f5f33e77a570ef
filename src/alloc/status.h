/*
 * What is held, and was at most (alloc/maxima.h): exact sums over the threads, in bytes that were asked for.
 */
#ifndef VIV_ALLOC_STATUS_H
#define VIV_ALLOC_STATUS_H

#include "alloc/alloc.h"
#include "alloc/maxima.h"

typedef struct {
    Maximum sizes, blocks;
} AllocStatus;

/* False: there are no maxima. Of all the sums (alloc/maxima.h), from `first` on `count`. Their `since` begins anew. */
bool alloc_status(unsigned first, unsigned count, AllocStatus *to);

#endif
