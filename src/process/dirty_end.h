/*
 * The end of a process that is in the hands of the dirty threads.
 *
 * Nobody handles its signals while it stands in a dirty queue or is in a dirty native call, however long that takes.
 * When one of them ends it, it is *taken apart*: a new process structure, the successor, takes over its pid, name,
 * links, monitors, trace settings and the signals themselves, and ends by the ordinary steps on a scheduler
 * (process/exit.h), so that all others hear of it at once. What the native code may be using stays behind: heap, stack,
 * dictionary, messages that were handled. This shell is found by nobody any more; STATE_LEFT says what it is, and the
 * dirty thread releases it when the call has returned.
 *
 * Who pushes a signal that may end a process looks; the owner looks after it has opened the gate. So one of the two
 * sees the other. Taking apart needs the gate (process/dirty_gate.h), so it cannot meet the owner, and is done only
 * where the owner said that the call touches nothing of what is taken. A process in a built-in dirty function is left
 * whole: it ends when that returns.
 *
 * Literals that a shell refers to are good until it is released: dirty_end_wait.
 * Source of the behaviour: erl_nif(3), "Dirty NIFs".
 */
#ifndef VIV_PROCESS_DIRTY_END_H
#define VIV_PROCESS_DIRTY_END_H

#include "process/process.h"

/* Looks at the signals of p, and takes it apart when one ends it. Any thread that may look pids up. */
void dirty_end_look(Process *p);
/* Did a look take p apart? By its owner, with the gate shut. */
static inline bool dirty_end_has_left(const Process *p) {
    return (atomic_load_explicit(&p->state, memory_order_relaxed) & STATE_LEFT) != 0;
}
/* By the dirty thread, offline, for destructors of native objects may run: p is gone. */
void dirty_end_release(Process *p);

/* One at a time: `node` is run when all shells there are now have been released, by a thread that may look pids up.
 * False: there are none, and it is not run. */
must_check bool dirty_end_wait(ProgressNode *node);

#endif
