/*
 * The queues of the dirty threads: dirty CPU and dirty I/O.
 *
 * Each has two lines under a lock (RUN_QUEUE), in the order of arrival: of those that are new, and of those that were
 * taken out to do something else first (dirty_queue_remove) and return. Threads take from the two by turns, so who is
 * asked often does not wait for all that come meanwhile. Threads have numbers from 0; those below the number
 * that is online take processes, the others sleep until it grows. A thread that goes offline ends its call first.
 */
#ifndef VIV_PROCESS_DIRTY_QUEUE_H
#define VIV_PROCESS_DIRTY_QUEUE_H

#include "process/process.h"

/* Once, before threads start. */
void dirty_queues_init(unsigned cpu_threads, unsigned io_threads);
void dirty_queue_add(Process *p, bool io);
/* The calling thread, the `number`-th of its pool, sleeps until there is one for it. */
Process *dirty_queue_take(bool io, unsigned number);
/* False: it does not stand there (yet, or any more). Any thread; `p` has a DIRTY bit. */
must_check bool dirty_queue_remove(Process *p);
bool dirty_queue_has(const Process *p);
size_t dirty_queue_length(bool io);
/* Any thread. At least 1. */
void dirty_queue_set_online(bool io, unsigned threads);

#endif
