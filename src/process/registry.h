/*
 * Registered names: one word for each atom, holding the pid (or port) of that name, or zero.
 *
 * Lookup is one load. A name is given by compare and swap, in two steps: the process's `registered_name` from NON_VALUE
 * to the name, then the atom's word from zero to the pid; it is taken back in the reverse order. A process that ends
 * sets its `registered_name` to NIL for good, so nobody can name it any more.
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
