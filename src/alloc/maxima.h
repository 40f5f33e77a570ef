/*
 * How much was ever held at once, in total, by allocator, class and type (`+Mis true`), in bytes that were asked for.
 *
 * Counters of threads cannot tell a maximum of their sum. So each thread hands what it has more or less than when it
 * last did to shared sums, and those keep their maxima: at once where that is more than 64 KB or 64 blocks of a type.
 * A maximum is less than the true one by at most so much for each thread and type, and never less than a sum that was
 * told: whoever tells one hands it in (alloc/status.h).
 *
 * What was asked for is not what was given. Of each block that comes while this is on the difference, its slack, is
 * kept in a cell (alloc/cells.h).
 */
#ifndef VIV_ALLOC_MAXIMA_H
#define VIV_ALLOC_MAXIMA_H

#include "alloc_types.h"
#include "base/defs.h"

#include <stdatomic.h>

/* What is summed: everything; by allocator; by class, as alloc.h has them; by type. */
enum {
    SUM_TOTAL,
    SUM_BLOCKS,
    SUM_PAGES,
    SUM_CLASSES,
    SUM_TYPES = SUM_CLASSES + 6,
    SUM_COUNT = SUM_TYPES + ALLOC_TYPE_COUNT
};

typedef struct {
    int32_t bytes[ALLOC_TYPE_COUNT], blocks[ALLOC_TYPE_COUNT]; /* not handed in yet */
} MaximaThread;

typedef struct {
    int64_t now, since, ever; /* the largest since it was last told, and ever */
} Maximum;

/* Written once, while there is one thread. */
extern bool maxima_on;
/* From now on; what is held already are such sums. False: no memory. */
bool maxima_start(const int64_t bytes[ALLOC_TYPE_COUNT], const int64_t blocks[ALLOC_TYPE_COUNT]);

/* Of a block that comes, and of one that goes. */
uint32_t maxima_set_slack(const void *ptr, size_t asked, size_t given);
uint32_t maxima_take_slack(const void *ptr);
/* So many bytes that were asked for, and blocks, are held more: by a block of the allocator, or by pages. */
void maxima_count(MaximaThread *me, AllocType type, int64_t bytes, int blocks);
void maxima_count_pages(AllocType type, int64_t bytes, int blocks);
/* What it has not handed in. */
void maxima_thread_ends(MaximaThread *me);

/* `now` is the exact sum. `since` begins anew. */
Maximum maxima_tell(unsigned sum, bool of_blocks, int64_t now);

#endif
