/*
 * Spare threads: those that take a scheduler over when its thread works long (base/long_work.h).
 *
 * A thread that has given its scheduler away and its process back sleeps here until the next one is given away. There
 * are never more of them than works that were long at the same time. When the system gives no thread, that is as if
 * there were too many: the scheduler stays with the work, which asks again when it has gone on for another slice. The
 * list, and the queue that a sleeper is given, are under the lock SPARE_THREADS. A thread that was given a queue may
 * have left by the time that it is woken for it, as it was called: so what it sleeps on is the thread's own, for
 * ever.
 */
#ifndef VIV_SCHED_SPARE_H
#define VIV_SCHED_SPARE_H

#include "process/run_queue.h"

/* Threads beside the schedulers; with so many at work the next one keeps its scheduler. */
#define SPARE_THREADS_MAX 64

/* A thread that runs `serve`(rq) is on its way: a sleeping one or a new one. False: there is none, for now. */
must_check bool spare_thread_take_over(RunQueue *rq, void (*serve)(void *rq));
/* Sleeps until this thread is given a queue, or is called: then NULL, also when a round (process/thread_round.h) is
 * waiting already. */
RunQueue *spare_thread_wait(void);
/* Calls all that sleep. */
void spare_threads_call(void);

#endif
