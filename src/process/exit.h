/*
 * The end of a process, in steps that each fit in a slice.
 *
 *   1. what only it may do: signals that came in are handled, its timeout goes, then the timers that are for it, and
 *      the exit handlers run (tables and other things that others install at start);
 *   2. it gives up its name and leaves the process table, its signal list is closed, and what was in it is answered as
 *      by nobody;
 *   3. linked processes and watchers hear the reason, the processes that it monitors are told;
 *   4. its memory goes, after thread progress.
 * So whoever finds its name gone finds its tables gone, and whoever hears of its end finds both gone. Only the
 * scheduler's thread that runs it; no lock held.
 */
#ifndef VIV_PROCESS_EXIT_H
#define VIV_PROCESS_EXIT_H

#include "process/process.h"

/* A handler does a part of its work and lowers *reductions; true when it is done. Contract: may send signals and
 * allocate, must not collect, must not look at the process's code. Installed at start only (docs/HOOKS.md). */
typedef bool ExitHandler(Process *p, int64_t *reductions);
#define EXIT_HANDLERS_MAX 12
void exit_handler_add(ExitHandler *handler);
/* `to` ends for p, which is exiting (process/dirty_end.h): what the fields of p lead to that belong to tables goes over
 * to it. Any thread that may look pids up, no lock held; nobody else looks at `to` yet. Installed at start only. */
extern void (*exit_hand_over)(Process *p, Process *to);

/* The engine stopped with STOP_EXIT, or a signal said so: p->exit_reason is set. */
void process_exit_begin(Process *p);
/* True when it is done: the process may not be touched any more. Otherwise it wants to go on in another slice. */
bool process_exit_continue(Process *p);

#endif
