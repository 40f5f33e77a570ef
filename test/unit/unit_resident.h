/* How much of a range of addresses is in memory. Source: mincore(2). */
#ifndef VIV_UNIT_RESIDENT_H
#define VIV_UNIT_RESIDENT_H

#include <stdlib.h>
#include <sys/mman.h>

#include "alloc/pages.h"

/* Of the pages that lie within it. */
static inline size_t unit_resident_bytes(const void *start, size_t bytes) {
    uintptr_t from = ((uintptr_t)start + PAGE_BYTES - 1) & -PAGE_BYTES, to = ((uintptr_t)start + bytes) & -PAGE_BYTES;
    size_t pages = (to - from) / PAGE_BYTES, resident = 0;
    unsigned char *is_resident = malloc(pages);
    if (mincore((void *)from, to - from, is_resident) != 0)
        abort();
    for (size_t i = 0; i < pages; i++)
        resident += is_resident[i] & 1;
    free(is_resident);
    return resident * PAGE_BYTES;
}

#endif
