#include "process/system_watcher.h"

#include <string.h>

#include "alloc/alloc.h"
#include "process/message.h"

static void free_settings(ProgressNode *node) { mem_free(ALLOC_TRACE, container_of(node, SystemWatcher, progress)); }

static void drop(SystemWatcher *w) {
    w->progress.run = free_settings;
    thread_progress_later(&w->progress);
}

const SystemWatcher *system_watcher_set(SystemWatcherPlace *at, const SystemWatcher *settings, size_t size) {
    SystemWatcher *own = NULL;
    if (settings != NULL) {
        own = mem_alloc(ALLOC_TRACE, size);
        memcpy(own, settings, size);
    }
    SystemWatcher *before = atomic_exchange(at, own);
    if (before == NULL)
        return NULL;
    drop(before);
    return process_find(before->pid) != NULL ? before : NULL;
}

/* Its process has ended. Unless there is another one by now, nobody watches. */
static void forget(SystemWatcherPlace *at, SystemWatcher *w) {
    SystemWatcher *expected = w;
    if (atomic_compare_exchange_strong(at, &expected, NULL))
        drop(w);
}

const SystemWatcher *system_watcher_get(SystemWatcherPlace *at) {
    SystemWatcher *w = system_watcher_at(at);
    if (w == NULL || process_find(w->pid) != NULL)
        return w;
    forget(at, w);
    return NULL;
}

void system_watcher_tell(SystemWatcherPlace *at, SystemWatcher *w, Area *area, Fragment *f, Term tuple) {
    message_area_end(area, f);
    Message *m = message_create_with(tuple, f, NON_VALUE);
    m->token = TOKEN_OF_RUNTIME;
    if (signal_send(w->pid, &m->signal))
        return;
    message_free(m);
    forget(at, w);
}
