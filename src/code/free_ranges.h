/* Which parts of a stretch of memory are free: taken where they first fit, merged when they come back. Plain data, of
 * whoever holds it. */
#ifndef VIV_CODE_FREE_RANGES_H
#define VIV_CODE_FREE_RANGES_H

#include "base/defs.h"

typedef struct {
    size_t start, size; /* bytes, from the beginning of the stretch */
} FreeRange;
typedef struct {
    FreeRange *ranges; /* ALLOC_CODE; in order, no two touch */
    size_t count, capacity;
} FreeRanges;

/* All of it is free. */
void free_ranges_init(FreeRanges *f, size_t size);
void free_ranges_release(FreeRanges *f);
/* False: nowhere is so much in one piece. `size` is not 0. */
must_check bool free_ranges_take(FreeRanges *f, size_t size, size_t *start);
/* What was taken is free again. All that is free around it, with it. */
FreeRange free_ranges_give(FreeRanges *f, FreeRange range);

#endif
