/*
 * The stock system processes: erts_code_purger and erts_literal_area_collector.
 *
 * They are made at the start, before anything could ask for them, and take a process structure and a small heap: their
 * modules are loaded when the first message comes. Until then they wait as a hibernating process does. The runtime does
 * not go on without them: when one ends, that is said on standard error and the program ends (process/exit.c).
 */
#ifndef VIV_REPLACE_SYSTEM_PROCESS_H
#define VIV_REPLACE_SYSTEM_PROCESS_H

#include "process/process.h"

/* A process of high priority that traps exits. Its initial call shows as module:start(); the first message makes it
 * call module:entry(). NON_VALUE: it is none of these modules, or there are too many processes. */
Term system_process_spawn(Process *parent, Term module, Term start, Term entry);
/* Is p the one that was spawned for that module, one of these two? */
bool system_process_is(const Process *p, Term module);
/* Its pid, or NON_VALUE while there is none. */
Term system_process_of(Term module);

#endif
