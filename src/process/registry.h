/*
 * Registered names: one word for each atom, holding the pid (or port) of that name, or zero.
 *
 * Lookup is one load. The word says whose the name is, and nothing else does: a name is taken back by compare and swap
 * of the word to zero. What a process's `registered_name` says is where to look: it has that name if the word says so,
 * else none, and may be given another. One is given in three steps, each by compare and swap: `registered_name` says
 * that it is being given, then the word is set, then `registered_name` says the name. In between nobody else gives the
 * process a name. One that ends sets its `registered_name` to NIL for good, so nobody can name it any more.
 *
 * A process may hold a name for a server that it will start: once it lends the name, the first of its children that
 * registers it takes it over, by compare and swap of the word from pid to pid. The name is never free in between.
 *
 * Which names there are is told of one moment (process/name_census.h).
 */
#ifndef VIV_PROCESS_REGISTRY_H
#define VIV_PROCESS_REGISTRY_H

#include "process/process.h"

void registry_init(void);
/* NON_VALUE when there is none. */
Term registry_whereis(Term name);
/* False: the name is taken, or the process has a name or is gone. */
bool registry_register(Term name, Process *p);
/* From now on a child of p that registers p's name takes it over. By p's own thread; never undone. */
void registry_lend(Process *p);
/* False: no such name. */
bool registry_unregister(Term name);
/* An ending process gives up its name: which, or NON_VALUE. */
Term registry_forget(Process *p);
/* The process's name, NON_VALUE when it has none. */
Term registry_name_of(const Process *p);
size_t registry_count(void);
/* Calls `each` with the names that there are at one moment. Long work, and thread progress may pass between two of
 * them: the caller holds no lock and nothing that it keeps good. */
void registry_each(void (*each)(Term name, void *data), void *data);

#endif
