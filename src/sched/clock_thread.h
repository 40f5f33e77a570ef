/*
 * A thread that looks from time to time whether the system's clock was set (process/clock.h), and tells those who
 * monitor the offset. For nodes: under `viv run` the first process looks.
 */
#ifndef VIV_SCHED_CLOCK_THREAD_H
#define VIV_SCHED_CLOCK_THREAD_H

/* Once, when the schedulers run. */
void clock_thread_start(void);

#endif
