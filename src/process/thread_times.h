/*
 * What each scheduler and dirty thread does with its time: statistics(scheduler_wall_time), (microstate_accounting) and
 * (garbage_collection).
 *
 * The blocks are made before the threads start. A thread takes its own at its start, and alone writes it; anyone reads
 * (relaxed: they are figures).
 * Sleeps and collections are always counted: they are rare beside what they cost. The time of slices and of collections
 * needs the clock twice each, so it is taken only while thread_times_are_exact. Times are nanoseconds of
 * clock_monotonic.
 */
#ifndef VIV_PROCESS_THREAD_TIMES_H
#define VIV_PROCESS_THREAD_TIMES_H

#include "sys/thread.h"

#include <stdatomic.h>

#define THREAD_KINDS (THREAD_DIRTY_IO + 1)
typedef struct ThreadTimes {
    _Alignas(CACHE_LINE) _Atomic int64_t sleeping_since; /* 0: awake */
    _Atomic int64_t slept, working, collecting;
    _Atomic int64_t collections, words_reclaimed;
} ThreadTimes;

/* Once, before threads of the kind start. */
void thread_times_init(ThreadKind kind, unsigned count);
/* The calling thread is the `number`-th of its kind, from 0. */
void thread_times_register(ThreadKind kind, unsigned number);
/* It is not any more: another thread takes its place. */
void thread_times_unregister(void);
unsigned thread_times_count(ThreadKind kind);
const ThreadTimes *thread_times_of(ThreadKind kind, unsigned number);

extern _Atomic bool thread_times_are_exact; /* system_flag(microstate_accounting) */

/* By the thread itself. Of threads that are not registered only collections are counted. */
void thread_times_sleep(void);
void thread_times_wake(void);
/* 0 when nobody asks. */
int64_t thread_times_begin(void);
void thread_times_worked(int64_t begun);
void thread_times_collected(int64_t begun, size_t words_before, size_t words_after);

/* By all threads, those among them that have given their scheduler away (base/long_work.h) and collect on. */
void thread_times_collections(int64_t *collections, int64_t *words_reclaimed);

#endif
