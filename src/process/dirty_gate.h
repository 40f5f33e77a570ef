/*
 * The gate of a process: who may look at its stack while it is in the hands of the dirty threads.
 *
 * There it handles no signals for as long as its call takes, but its stack, `ip` and saved registers do not change
 * either. The owner opens the gate when it gives the process to the dirty queue, and around the call of the native
 * function itself; it shuts the gate before it touches anything of these again. Whoever finds it open may look, one
 * at a time, and keeps it from being shut meanwhile: a look takes a bounded piece of the stack (DIRTY_LOOK_WORDS), and
 * the owner, a dirty thread, spins for as long, as does the next who wants to look. `turn` counts the openings: a look
 * that goes on in pieces sees that it is the same call still.
 */
#ifndef VIV_PROCESS_DIRTY_GATE_H
#define VIV_PROCESS_DIRTY_GATE_H

#include "process/process.h"

#define DIRTY_LOOK_WORDS 4096

void dirty_gate_open(Process *p);
/* The same, and until it is shut the process may also be ended by signals, those that are there already too
 * (process/dirty_end.h): the owner touches nothing of what is handed over then. */
void dirty_gate_open_to_end(Process *p);
/* By one who looks. */
bool dirty_gate_may_end(const Process *p);
void dirty_gate_shut(Process *p);
/* The turn, when the gate is open and the caller may look now; 0 otherwise. Any thread that may look pids up. */
uint64_t dirty_gate_look(Process *p);
void dirty_gate_look_end(Process *p);

#endif
