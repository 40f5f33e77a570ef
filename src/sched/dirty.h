/*
 * Dirty threads: for BIFs that compute long (dirty CPU) or wait for the system (dirty I/O).
 *
 * A process that is to call such a BIF is put into the pool's queue; a thread takes it, makes the one call and gives
 * the process back to the schedulers. Those handle its signals meanwhile (process/dirty_gate.h). These threads are
 * offline for thread progress while they call: a dirty BIF that looks at shared structures enters and leaves
 * (base/thread_progress.h).
 */
#ifndef VIV_SCHED_DIRTY_H
#define VIV_SCHED_DIRTY_H

void dirty_start(unsigned cpu_threads, unsigned io_threads);

#endif
