/*
 * How many bytes wait for another node, and whether that is too many: it is *busy* from the limit on, and stays so
 * until no more than half of the limit is left, so that who comes meanwhile does not pass those who wait for that.
 * Source: erl(1) +zdbbl; erlang(3) send/3 on `nosuspend`; what the stock runtime does.
 *
 * Anybody adds, and hands over what he added when he has marked it as busy, where it is; one thread at a time takes
 * away. So who takes the last of what was there when it was marked finds the mark, which stands in the same word, and
 * nobody is left waiting. What the bytes belong to is handed over by other means; every access here is relaxed.
 */
#ifndef VIV_DISTRIBUTION_BACKLOG_H
#define VIV_DISTRIBUTION_BACKLOG_H

#include <stdatomic.h>

#include "base/defs.h"

typedef struct {
    _Atomic uint64_t word; /* bytes, and the lowest bit: it is busy */
} Backlog;

#define BACKLOG_BUSY 1u
#define BACKLOG_BYTE 2u

static inline uint64_t backlog_bytes(const Backlog *b) {
    return atomic_load_explicit(&b->word, memory_order_relaxed) / BACKLOG_BYTE;
}

static inline bool backlog_is_busy(const Backlog *b) {
    return (atomic_load_explicit(&b->word, memory_order_relaxed) & BACKLOG_BUSY) != 0;
}

/* Before they are handed over. */
static inline void backlog_add(Backlog *b, size_t bytes, size_t limit) {
    uint64_t by = bytes * BACKLOG_BYTE, now = atomic_fetch_add_explicit(&b->word, by, memory_order_relaxed) + by;
    if (unlikely(now / BACKLOG_BYTE >= limit) && !(now & BACKLOG_BUSY))
        atomic_fetch_or_explicit(&b->word, BACKLOG_BUSY, memory_order_relaxed);
}

/* True: with that it is busy no more. */
static inline bool backlog_take(Backlog *b, size_t bytes, size_t limit) {
    uint64_t by = bytes * BACKLOG_BYTE, now = atomic_fetch_sub_explicit(&b->word, by, memory_order_relaxed) - by;
    while (unlikely(now & BACKLOG_BUSY) && now / BACKLOG_BYTE <= limit / 2)
        if (atomic_compare_exchange_weak_explicit(&b->word, &now, now & ~(uint64_t)BACKLOG_BUSY, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    return false;
}

#endif
