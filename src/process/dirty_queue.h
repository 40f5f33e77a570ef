/*
 * The queues of the dirty threads: dirty CPU and dirty I/O.
 *
 * Each has two lines under a lock (RUN_QUEUE): of those that are new, and of those that were taken out to do something
 * else first (dirty_queue_remove) and return. In each they stand by priority, as in a run queue (process/standing.h):
 * their own, or what is lent to them, which brings forward who stands there already. Threads take the more urgent of
 * the two that are first, and when these are equals from the two lines by turns: so who is asked often does not wait
 * for all that come meanwhile. That something is asked of a process (STATE_RAISED) does not bring it forward: it is
 * taken out to do that.
 *
 * Threads have numbers from 0; those below the number that is online take processes, the others sleep until it grows. A
 * thread that goes offline ends its call first. Of the threads that have nothing to do the one that fell asleep last is
 * woken first: so as few as can do the work share it, with the memory and the caches that they have warm.
 */
#ifndef VIV_PROCESS_DIRTY_QUEUE_H
#define VIV_PROCESS_DIRTY_QUEUE_H

#include "process/process.h"

/* Once, before threads start; no thread's number is beyond these. */
void dirty_queues_init(unsigned cpu_threads, unsigned io_threads);
void dirty_queue_add(Process *p, bool io);
/* The calling thread will take one soon, and does nothing in between that may last: nobody else is woken for the next
 * that is added. Once before each take; best before it gives back the process that it had, which often needs a dirty
 * thread again at once. */
void dirty_queue_comes_back(bool io);
/* The calling thread, the `number`-th of its pool, sleeps until there is one for it. */
Process *dirty_queue_take(bool io, unsigned number);
/* False: it does not stand there (yet, or any more). Any thread; `p` has a DIRTY bit. */
must_check bool dirty_queue_remove(Process *p);
/* More was lent to p, which had a DIRTY bit of that kind then. Any thread: who has not added it yet sees that later. */
void dirty_queue_move_up(Process *p, bool io);
bool dirty_queue_has(const Process *p);
size_t dirty_queue_length(bool io);
/* Any thread. At least 1. */
void dirty_queue_set_online(bool io, unsigned threads);

#endif
