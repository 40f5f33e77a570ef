/*
 * What each thread has allocated and freed, by type, and what watches it (alloc/maxima.h, alloc/block_map.h).
 *
 * Only its thread writes a set, with plain stores; whoever sums reads the numbers without a lock. The list of the sets
 * is under a lock, and so are the sums into which the counts of threads that have ended are folded.
 */
#ifndef VIV_ALLOC_THREAD_COUNTS_H
#define VIV_ALLOC_THREAD_COUNTS_H

#include "alloc/alloc.h"
#include "alloc/block_map.h"
#include "alloc/maxima.h"

typedef struct ThreadCounts ThreadCounts;
struct ThreadCounts {
    HeldCounts held;
    MaximaThread maxima;
    BlockMapThread map;
    ThreadCounts *next, *previous;
};

extern __thread ThreadCounts *my_thread_counts;
ThreadCounts *thread_counts_open(void);

static inline ThreadCounts *thread_counts(void) {
    ThreadCounts *mine = my_thread_counts;
    return likely(mine) ? mine : thread_counts_open();
}

static inline void count_add(_Atomic int64_t *counter, int64_t by) {
    int64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + by, memory_order_relaxed);
}

#endif
