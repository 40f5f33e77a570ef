/*
 * One process that hears of certain events of all others: erlang:system_monitor and erlang:system_profile.
 *
 * What is wanted is one pointer, NULL when nobody watches, to settings that never change and begin with a
 * SystemWatcher. Setting is one exchange, and those before are freed after thread progress: nobody is stopped, and a
 * place where something may be told costs a load and a test. Events are told by the thread that runs the process, with
 * no lock held, as messages of the runtime; never about the one that is told. When that one has ended, the settings go
 * with the next event, or when somebody asks.
 */
#ifndef VIV_PROCESS_SYSTEM_WATCHER_H
#define VIV_PROCESS_SYSTEM_WATCHER_H

#include "process/process.h"

typedef struct SystemWatcher {
    ProgressNode progress;
    Term pid;
} SystemWatcher;

typedef _Atomic(SystemWatcher *) SystemWatcherPlace;

/* Read by any thread that may look pids up: good until its next quiescent point. */
static inline SystemWatcher *system_watcher_at(SystemWatcherPlace *at) {
    return atomic_load_explicit(at, memory_order_acquire);
}

/* A copy of `size` bytes of settings, a SystemWatcher at their beginning, is set; NULL: nobody watches any more. Gives
 * those before; NULL when there were none, or their process has ended. */
const SystemWatcher *system_watcher_set(SystemWatcherPlace *at, const SystemWatcher *settings, size_t size);
/* As they are now; NULL the same. */
const SystemWatcher *system_watcher_get(SystemWatcherPlace *at);
/* Sends `tuple`, which `area` holds, a fragment of it, to w's process, or forgets w when there is none any more. */
void system_watcher_tell(SystemWatcherPlace *at, SystemWatcher *w, Area *area, Fragment *f, Term tuple);

#endif
