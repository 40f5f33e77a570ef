/*
 * Ranges of addresses whose pages stay in memory when they are free, for who wants some soon: a few of them, and so
 * many bytes at most, the youngest ones. Under the owner's lock.
 */
#ifndef VIV_ALLOC_KEPT_RANGES_H
#define VIV_ALLOC_KEPT_RANGES_H

#include "base/defs.h"

#define KEPT_RANGES_MOST 16
#define KEPT_BYTES_LEAST ((size_t)16 << 10) /* what is smaller is better taken anew */
#define KEPT_BYTES_MOST ((size_t)2 << 20)
static inline bool kept_ranges_are_for(size_t bytes) { return bytes >= KEPT_BYTES_LEAST && bytes <= KEPT_BYTES_MOST; }

typedef struct {
    char *start;
    size_t bytes;
} KeptRange;

typedef struct {
    KeptRange range[KEPT_RANGES_MOST]; /* the oldest one first */
    unsigned count;
    size_t bytes; /* of all */
} KeptRanges;

/* The beginning of the youngest that has so many bytes; the rest of it stays. NULL: there is none, or they are not for
 * so many. */
char *kept_ranges_take(KeptRanges *kept, size_t bytes);
/* The youngest one from now on. What has no room beside it is given back by the owner's function, the oldest first: it
 * may let the lock go meanwhile. If they are not for so many bytes, the range itself is given back. */
typedef void KeptRangesGive(void *owner, char *start, size_t bytes);
void kept_ranges_put(KeptRanges *kept, char *start, size_t bytes, KeptRangesGive *give, void *owner);

#endif
