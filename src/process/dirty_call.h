/*
 * The call of a built-in function on a dirty thread.
 *
 * It is given a *stand-in* for its process, the thread's own: a process structure with the pid, the place in the code,
 * and nothing else of the process. The function builds and fails there, as any built-in function does; what it has
 * built, and why it failed, becomes the process's when the call is over. So the gate is open all the time, and the
 * process's signals are handled (process/dirty_gate.h).
 *
 * The process may be ended meanwhile by a signal (process/dirty_end.h), unless it keeps the code of a module
 * (`works_for`) for the function. What the function does then, it does for one that is no more.
 *
 * A function that needs more of its process than what a stand-in has asks for it, and touches only what is said to be
 * for more than one thread.
 */
#ifndef VIV_PROCESS_DIRTY_CALL_H
#define VIV_PROCESS_DIRTY_CALL_H

#include "process/process.h"

/* By the owner, with the gate shut: opens it. */
Process *dirty_call_begin(Process *p);
/* Shuts it. */
void dirty_call_end(Process *p, Process *stand_in);
/* Whose call the calling thread makes. */
Process *dirty_call_process(void);

#endif
