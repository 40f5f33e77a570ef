/*
 * How much was ever held at once, in total, by allocator, class and type (`+Mis true`), in bytes that were asked for.
 *
 * Counters of threads cannot tell a maximum of their sum. So each thread hands what it has more or less than when it
 * last did to shared sums, and those keep their maxima: when it has 64 KB more or less, or after 256 blocks that came
 * or went. What came and went in between is not seen: a maximum may be less than the true one by so much for each
 * thread, and is never less than a sum that was told: whoever tells one hands it in (alloc/status.h).
 *
 * What was asked for is not what was given. Of each block that comes while this is on the difference, its slack, is
 * kept in a cell (alloc/cells.h).
 */
#ifndef VIV_ALLOC_MAXIMA_H
#define VIV_ALLOC_MAXIMA_H

#include "alloc/cells.h"
#include "alloc_types.h"
#include "base/defs.h"

#include <stdatomic.h>

/* What is summed: everything; by allocator; by class, as alloc.h has them, but ETS is part of SYSTEM, as in R9C; by
 * type. */
enum {
    SUM_TOTAL,
    SUM_BLOCKS,
    SUM_PAGES,
    SUM_CLASSES,
    SUM_TYPES = SUM_CLASSES + 5,
    SUM_COUNT = SUM_TYPES + ALLOC_TYPE_COUNT
};

/* The sum of the class of a type. */
unsigned maxima_class_sum(AllocType type);

/* What a thread holds, as it counts it itself. */
typedef struct {
    _Atomic int64_t bytes[ALLOC_TYPE_COUNT], blocks[ALLOC_TYPE_COUNT];
    /* Of the bytes, those beyond what was asked for, where maxima are kept. */
    _Atomic int64_t slack[ALLOC_TYPE_COUNT];
    /* Of both, those of pages that were told of. */
    _Atomic int64_t page_bytes[ALLOC_TYPE_COUNT], page_blocks[ALLOC_TYPE_COUNT];
} HeldCounts;

typedef struct {
    int64_t bytes;   /* more than when it last handed in */
    unsigned blocks; /* that came and went since */
    int64_t told_bytes[ALLOC_TYPE_COUNT], told_blocks[ALLOC_TYPE_COUNT]; /* of blocks of the allocator */
} MaximaThread;

typedef struct {
    int64_t now, since, ever; /* the largest since it was last told, and ever */
} Maximum;

/* Written once, while there is one thread. */
extern bool maxima_on;
/* From now on. False: no memory. */
bool maxima_start(void);

/* Of a block that comes, and of one that goes. A slack that cannot be kept is none, and is not subtracted later. */
extern Cells maxima_slacks;
static inline uint32_t maxima_set_slack(const void *ptr, size_t asked, size_t given) {
    size_t slack = given - asked;
    uint32_t kept = likely(slack < UINT32_MAX) ? (uint32_t)slack : UINT32_MAX;
    return kept && cells_set_size(&maxima_slacks, ptr, kept) ? kept : 0;
}
static inline uint32_t maxima_take_slack(const void *ptr) { return cells_take_size(&maxima_slacks, ptr); }
void maxima_hand_in(MaximaThread *me, const HeldCounts *held);
/* A block came or went, with so many bytes more that were asked for; it is in `held`. */
static inline void maxima_count(MaximaThread *me, const HeldCounts *held, int64_t bytes) {
    me->bytes += bytes;
    if (unlikely(++me->blocks >= 256) || unlikely(me->bytes > 64 << 10) || unlikely(me->bytes < -(64 << 10)))
        maxima_hand_in(me, held);
}
void maxima_count_pages(AllocType type, int64_t bytes, int blocks);

/* `now` is the exact sum. `since` begins anew. */
Maximum maxima_tell(unsigned sum, bool of_blocks, int64_t now);

#endif
