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
static _Atomic int64_t others_collections, others_words_reclaimed; /* of threads without one: several at once */

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
    int64_t words = words_after < words_before ? (int64_t)(words_before - words_after) : 0;
    if (mine == NULL) {
        atomic_fetch_add_explicit(&others_collections, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&others_words_reclaimed, words, memory_order_relaxed);
        return;
    }
    if (begun)
        add(&mine->collecting, clock_monotonic() - begun);
    add(&mine->collections, 1);
    add(&mine->words_reclaimed, words);
}

static int64_t load(const _Atomic int64_t *figure) { return atomic_load_explicit(figure, memory_order_relaxed); }

void thread_times_collections(int64_t *collections, int64_t *words_reclaimed) {
    *collections = load(&others_collections);
    *words_reclaimed = load(&others_words_reclaimed);
    for (unsigned kind = 0; kind < THREAD_KINDS; kind++)
        for (unsigned i = 0; i < kinds[kind].count; i++) {
            *collections += load(&kinds[kind].threads[i].collections);
            *words_reclaimed += load(&kinds[kind].threads[i].words_reclaimed);
        }
}
