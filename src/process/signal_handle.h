/*
 * Handling signals: what a process has been sent (process/signal.h) takes effect, in order.
 *
 * signal_handle runs on the process's own thread, at the start of a slice; signal_handle_midway in the middle, in
 * receive_peek and built-in functions. While the dirty threads have the process, a scheduler handles its signals in
 * pieces (process/dirty_gate.h). All build only in the process's area, never collect, take no lock while handling.
 *
 * What comes after the signal that ends a process, or was not handled when it ended by itself, finds it gone, though it
 * may be in the process table for some slices still: links and monitors are answered with noproc, messages dropped.
 * That is done when it has given up all that it owned (signal_close); until then the signals stay where they are.
 */
#ifndef VIV_PROCESS_SIGNAL_HANDLE_H
#define VIV_PROCESS_SIGNAL_HANDLE_H

#include "process/signal.h"

struct Message;

/* Handles what has come in. Sets STATE_ACTIVE when the process has something to do now. */
void signal_handle(struct Process *p);
/* The same by p's own code. False: it has been told to exit, and does not go on; the failure is set (FAIL_EXITING).
 * True: it does what it is about, but one of the signals may have suspended it, and who suspends it has been told that
 * it runs no code any more: then its slice ends before the next instruction. */
must_check bool signal_handle_midway(struct Process *p);
/* What a built-in function that has done so returns, instead of `result` (NON_VALUE: the failure is set). */
must_check Term signal_midway_result(struct Process *p, Term result);
/* The same in pieces, while the dirty threads have it (process/dirty_gate.h): signal_begin takes what has come in,
 * unless something is left of what it took before; false: nothing. signal_handle_begun handles up to `most` of it. */
bool signal_begin(struct Process *p);
void signal_handle_begun(struct Process *p, unsigned most);
/* By p itself, which runs and has handled all its signals: a message of its own, that need not be pushed first. */
void signal_append_own(struct Process *p, struct Message *m);
/* By a call (SIGNAL_CALL) of p's: another signal, that it has made, is handled in its place. */
void signal_handle_now(struct Process *p, Signal *signal);
/* For exit.c: closes the list and handles what is in it as a process that is no more. */
void signal_close(struct Process *p);
/* Closes it, gives the signals that were in it, newest first; those that were begun, too. */
Signal *signal_list_close(struct Process *p);

#endif
