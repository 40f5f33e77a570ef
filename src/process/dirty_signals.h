/*
 * Handling the signals of a process in the hands of the dirty threads (process/dirty_gate.h), by a scheduler that has
 * taken it from a run queue: it is in charge, and lets go of it here.
 *
 * A slice handles so many at once, and gives the gate back in between: the owner waits for no longer than that. What is
 * left when the slice is over waits for the next, behind the other processes of the queue.
 */
#ifndef VIV_PROCESS_DIRTY_SIGNALS_H
#define VIV_PROCESS_DIRTY_SIGNALS_H

#include "process/process.h"

#define DIRTY_SIGNALS_AT_ONCE 256
#define DIRTY_SIGNALS_PER_SLICE (16 * DIRTY_SIGNALS_AT_ONCE)

/* p has QUEUED, the caller took it from a run queue. Afterwards it is no more the caller's. */
void dirty_signals_handle(Process *p);

#endif
