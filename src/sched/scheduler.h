/*
 * The schedulers: one thread for each run queue, and the dirty threads.
 *
 * A scheduler's round: a quiescent point, due timers, the next process. It takes the process (process_enter), lets it
 * handle its signals, runs the engine for REDUCTIONS_PER_SLICE reductions, and acts on why the engine stopped. When
 * there is nothing to run or to steal it goes offline (base/thread_progress.h) and sleeps until it is called or a timer
 * is due. Dirty threads make one call of a dirty BIF for a process and give it back.
 */
#ifndef VIV_SCHED_SCHEDULER_H
#define VIV_SCHED_SCHEDULER_H

#include "base/defs.h"

typedef struct {
    /* 0: as many as processors, of which some may be off line at first; as many as schedulers; 10 */
    unsigned schedulers, dirty_cpu, dirty_io;
    unsigned online; /* 0: as many as processors may be used */
    size_t process_limit, port_limit;         /* 0: the default */
} SchedulerOptions;

/* Process table, registry, run queues, timers, references: what must be there before the first process is made. After
 * the atom table. Fills in the defaults of *options. */
void schedulers_init(SchedulerOptions *options);
/* Starts all threads. The first processes may have been spawned before. */
void schedulers_start(void);
/* The runtime ends, and waits for its ports: from its next slice on no process runs any more, for ever. Any thread. */
void schedulers_halt_processes(void);
/* The calling thread has nothing more to do: sleeps for ever (the runtime ends by halt). */
_Noreturn void schedulers_wait(void);
const SchedulerOptions *schedulers_options(void);
/* Processors that this program may run on, as far as its share of time goes. At any time. */
unsigned schedulers_usable(void);

#endif
