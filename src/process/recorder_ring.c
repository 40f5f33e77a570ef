#include "process/recorder_ring.h"

#include "base/race_window.h"

void recorder_ring_put(RecorderRing *r, size_t capacity, const Record *record) {
    uint64_t n = atomic_load_explicit(&r->done, memory_order_relaxed);
    _Atomic Word *to = r->words + (n & (capacity - 1)) * RECORD_WORDS;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(to, record->time, memory_order_relaxed);
    atomic_store_explicit(to + 1, record->head, memory_order_relaxed);
    atomic_store_explicit(to + 2, record->pid, memory_order_relaxed);
    race_window("a record is half written");
    atomic_store_explicit(to + 3, record->a, memory_order_relaxed);
    atomic_store_explicit(to + 4, record->b, memory_order_relaxed);
    atomic_store_explicit(&r->done, n + 1, memory_order_release);
}

uint64_t recorder_ring_done(const RecorderRing *r) { return atomic_load_explicit(&r->done, memory_order_acquire); }

static void copy_one(const RecorderRing *r, size_t capacity, uint64_t n, Record *to) {
    const _Atomic Word *from = r->words + (n & (capacity - 1)) * RECORD_WORDS;
    to->time = atomic_load_explicit(from, memory_order_relaxed);
    to->head = atomic_load_explicit(from + 1, memory_order_relaxed);
    to->pid = atomic_load_explicit(from + 2, memory_order_relaxed);
    to->a = atomic_load_explicit(from + 3, memory_order_relaxed);
    to->b = atomic_load_explicit(from + 4, memory_order_relaxed);
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Nothing that is older is whole, as of now. */
static uint64_t oldest(const RecorderRing *r, size_t capacity) {
    uint64_t done = recorder_ring_done(r);
    return done >= capacity ? done - capacity + 1 : 0;
}

size_t recorder_ring_copy(const RecorderRing *r, size_t capacity, uint64_t *from, uint64_t end, Record *to,
                          size_t most) {
    for (;;) {
        uint64_t first = larger(*from, oldest(r, capacity)), last = smaller(end, first + most);
        if (first >= last)
            return 0;
        for (uint64_t n = first; n < last; n++)
            copy_one(r, capacity, n, &to[n - first]);
        race_window("records are copied, and not yet known to be whole");
        atomic_thread_fence(memory_order_acquire);
        *from = larger(first, oldest(r, capacity));
        if (*from >= last)
            continue; /* all of them are gone */
        for (uint64_t n = *from; n < last && *from > first; n++)
            to[n - *from] = to[n - first];
        return last - *from;
    }
}
