/*
 * The end of a process that is in the hands of the dirty threads.
 *
 * A dirty call takes as long as it likes. When a signal ends its process meanwhile, that is *taken apart*: a new
 * process structure, the successor, takes over its pid, name, links, monitors, trace settings and the signals that are
 * left, and ends by the ordinary steps on a scheduler (process/exit.h), at a high priority at least, so that all others
 * hear of it at once. What the call may be using stays behind: heap, stack, dictionary, messages that were handled.
 * This shell is found by nobody any more; STATE_LEFT says what it is, and the dirty thread releases it when the call
 * has returned.
 *
 * It is done by who handles the signals, with the gate (process/dirty_gate.h), so it cannot meet the owner; and only
 * where the owner said that the call touches nothing of what is taken. He has QUEUED set for good then: nobody puts a
 * shell into a queue. Otherwise, while a library is being loaded, the process is left whole: it ends when that is done.
 *
 * Literals that a shell refers to are good until its call is over: who frees them looks at all shells first.
 * Source of the behaviour: erl_nif(3), "Dirty NIFs".
 */
#ifndef VIV_PROCESS_DIRTY_END_H
#define VIV_PROCESS_DIRTY_END_H

#include "process/process.h"

/* By the handler, who looks through p's gate: p is exiting, and the call may go on without it. */
void dirty_end_take_apart(Process *p);
/* Was p taken apart? By its owner, with the gate shut; by the handler. */
static inline bool dirty_end_has_left(const Process *p) {
    return (atomic_load_explicit(&p->state, memory_order_relaxed) & STATE_LEFT) != 0;
}
/* By the dirty thread, offline, for destructors of native objects may run: p is gone. */
void dirty_end_release(Process *p);

/* Calls `look` for each shell whose call goes on, with its gate. `look` may take long, and take the thread offline. By
 * one thread at a time; it holds no lock. */
void dirty_end_each(void (*look)(Process *p));

#endif
