#include "nif/library.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "sys/thread.h"

#include <dlfcn.h>

static Mutex lock = MUTEX_INITIALIZER(LOCK_NIF_LIBRARIES);
static NifLibrary *all;
/* The modules that have had one: under the lock. */
static Term *modules;
static size_t module_count, module_capacity;

void nif_library_retain(NifLibrary *library) { atomic_fetch_add_explicit(&library->refc, 1, memory_order_relaxed); }

bool nif_library_try_retain(NifLibrary *l) {
    int64_t now = atomic_load_explicit(&l->refc, memory_order_relaxed);
    while (now > 0)
        if (atomic_compare_exchange_weak_explicit(&l->refc, &now, now + 1, memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

static void note_module(Term module) {
    for (size_t i = 0; i < module_count; i++)
        if (modules[i] == module)
            return;
    if (module_count == module_capacity) {
        module_capacity = 2 * module_capacity + 8;
        modules = mem_realloc(ALLOC_NIF, modules, module_capacity * sizeof *modules);
    }
    modules[module_count++] = module;
}

Term nif_library_modules(Area *area) {
    Term list = NIL;
    mutex_lock(&lock);
    for (size_t i = module_count; i-- > 0;)
        list = area_cons(area, modules[i], list);
    mutex_unlock(&lock);
    return list;
}

void nif_library_each_module_alone(void (*each)(Term module, void *data), void *data) {
    for (size_t i = 0; i < module_count; i++)
        each(modules[i], data);
}

void nif_library_publish(NifLibrary *l) {
    mutex_lock(&lock);
    note_module(l->module);
    l->is_published = true;
    l->next = all;
    if (all != NULL)
        all->previous = l;
    all = l;
    mutex_unlock(&lock);
}

static void unlink_library(NifLibrary *l) {
    mutex_lock(&lock);
    if (l->is_published) {
        if (l->next != NULL)
            l->next->previous = l->previous;
        *(l->previous != NULL ? &l->previous->next : &all) = l->next;
    }
    mutex_unlock(&lock);
}

static void call_unload(NifLibrary *l) {
    NifOwnEnv own;
    nif_own_env_begin(&own, NIF_ENV_CALLBACK, NULL, l);
    l->entry.unload(&own.env, l->priv_data);
    nif_own_env_end(&own);
}

static void close_library(NifLibrary *l) {
    if (l->unloaded && l->entry.unload != NULL)
        call_unload(l);
    unlink_library(l);
    race_window("a library is in no list, and still open");
    if (l->handle != NULL)
        dlclose(l->handle);
    mem_free(ALLOC_NIF, l->functions);
    mem_free(ALLOC_NIF, l);
}

static void tell_thread(ThreadRound *round) {
    NifLibrary *l = container_of(round, NifLibrary, round);
    l->on_unload_thread(l->priv_data);
}

static void all_told(ThreadRound *round) { close_library(container_of(round, NifLibrary, round)); }

void nif_library_release(NifLibrary *l) {
    if (atomic_fetch_sub_explicit(&l->refc, 1, memory_order_acq_rel) != 1)
        return;
    if (!l->unloaded || l->on_unload_thread == NULL) {
        close_library(l);
        return;
    }
    race_window("nobody uses a library, its threads are not told");
    l->round.run = tell_thread;
    l->round.done = all_told;
    thread_round_begin(&l->round);
}

NifLibrary *nif_library_create(void *handle, Term module) {
    NifLibrary *l = mem_calloc(ALLOC_NIF, sizeof *l);
    atomic_init(&l->refc, 1);
    l->handle = handle;
    l->module = module;
    return l;
}

void nif_library_each(void (*each)(NifLibrary *, void *), void *data) {
    mutex_lock(&lock);
    for (NifLibrary *l = all; l != NULL; l = l->next)
        if (!l->unloaded)
            each(l, data);
    mutex_unlock(&lock);
}
