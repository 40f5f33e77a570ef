#include "process/thread_times.h"

#include <string.h>

#include "alloc/alloc.h"
#include "sys/clock.h"

_Atomic bool thread_times_are_exact;
static struct {
    ThreadTimes *threads;
    unsigned count;
} kinds[THREAD_KINDS];
static __thread ThreadTimes *mine;

void thread_times_init(ThreadKind kind, unsigned count) {
    kinds[kind].count = count;
    kinds[kind].threads = mem_alloc_aligned(ALLOC_SCHEDULER, count * sizeof(ThreadTimes), _Alignof(ThreadTimes));
    memset(kinds[kind].threads, 0, count * sizeof(ThreadTimes));
}

void thread_times_register(ThreadKind kind, unsigned number) { mine = &kinds[kind].threads[number]; }
void thread_times_unregister(void) { mine = NULL; }
unsigned thread_times_count(ThreadKind kind) { return kinds[kind].count; }
const ThreadTimes *thread_times_of(ThreadKind kind, unsigned number) { return &kinds[kind].threads[number]; }

static void add(_Atomic int64_t *to, int64_t by) {
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + by, memory_order_relaxed);
}

void thread_times_sleep(void) {
    if (mine)
        atomic_store_explicit(&mine->sleeping_since, clock_monotonic(), memory_order_relaxed);
}

void thread_times_wake(void) {
    if (!mine)
        return;
    add(&mine->slept, clock_monotonic() - atomic_load_explicit(&mine->sleeping_since, memory_order_relaxed));
    atomic_store_explicit(&mine->sleeping_since, 0, memory_order_relaxed);
}

int64_t thread_times_begin(void) {
    return atomic_load_explicit(&thread_times_are_exact, memory_order_relaxed) ? clock_monotonic() : 0;
}

void thread_times_worked(int64_t begun) {
    if (begun && mine)
        add(&mine->working, clock_monotonic() - begun);
}

void thread_times_collected(int64_t begun, size_t words_before, size_t words_after) {
    if (!mine)
        return;
    if (begun)
        add(&mine->collecting, clock_monotonic() - begun);
    add(&mine->collections, 1);
    if (words_after < words_before)
        add(&mine->words_reclaimed, (int64_t)(words_before - words_after));
}
