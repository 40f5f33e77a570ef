/*
 * How often a function has been called: the figure of the kind call_count (trace/pattern.h), which the engine itself
 * counts up at a breakpoint where nothing else is wanted.
 *
 * Schedulers share nothing when they count: each counter has a word for each run queue, which only the thread that
 * serves that queue writes, and one for all other threads, which add to it atomically. The words of a run queue lie
 * together, those of a bank of counters in cache lines of their own. Who asks sums them up while they are written. To
 * begin anew takes the sum of then as the zero: so no call is lost, whatever happens at the same time.
 *
 * Made, kept, begun anew and dropped by the holder of the code modification permission; the last reference is dropped
 * when nobody can count any more.
 */
#ifndef VIV_PROCESS_CALL_COUNT_H
#define VIV_PROCESS_CALL_COUNT_H

#include <stdatomic.h>

#include "process/run_queue.h"
#include "sys/release.h"

#define CALL_COUNTS 64 /* in a bank */
typedef struct CallCount {
    _Atomic size_t references;
    _Atomic bool is_paused;
    uint8_t number; /* in its bank */
    _Atomic int64_t zero;
    _Atomic int64_t *calls; /* of other threads; CALL_COUNTS words further on those of run queue 0, and so on */
} CallCount;

CallCount *call_count_create(void); /* with one reference, at 0 */
void call_count_drop(CallCount *c); /* NULL is none */
void call_count_restart(CallCount *c); /* and it is paused no more */
int64_t call_count_read(const CallCount *c); /* any thread */

/* By the thread that runs the process. */
static inline void call_count_add(CallCount *c) {
    const RunQueue *rq = run_queue_self();
    if (unlikely(atomic_load_explicit(&c->is_paused, memory_order_relaxed)))
        return;
    if (unlikely(rq == NULL)) {
        atomic_fetch_add_explicit(c->calls, 1, memory_order_relaxed);
        return;
    }
    _Atomic int64_t *calls = c->calls + CALL_COUNTS + rq->index * CALL_COUNTS;
    atomic_store_explicit(calls, atomic_load_explicit(calls, memory_order_relaxed) + 1, memory_order_relaxed);
}
static inline void call_count_call(CallCount *c, const Process *p) {
    if (likely(!process_is_sensitive(p)) || !release_has(RELEASE_SENSITIVE_UNTRACED))
        call_count_add(c);
}

#endif
