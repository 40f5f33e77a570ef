/*
 * A loaded native library, as one instance of a module has it.
 *
 * It is made by load_nif/2 (bif/code/nif_load.c), which binds its functions to the module's instance, and counted: by
 * the instance (ModuleInstance.library), by each resource type for which it provides callbacks, as long as there are
 * objects of it, and by each call of its functions that the instance may be purged under (nif/call.h). When the
 * instance is purged its functions are gone, and the library is `unloaded`; the last count calls the `unload`
 * callback and closes the shared object, after each scheduler thread has called `on_unload_thread`, when the library
 * wants that. So destructors run before that, as with stock, on whichever thread dropped the last object. What drops
 * objects of others in passing, thread progress, never does so on a thread that runs a library's code
 * (base/thread_progress.h: guests): `unload` may join the library's own threads.
 *
 * Everything but `refc` is written while the library is being loaded, by the process that loads it, before anyone else
 * can see it; priv_data also by upgrade callbacks of successors, one at a time, before its `unload`.
 */
#ifndef VIV_NIF_LIBRARY_H
#define VIV_NIF_LIBRARY_H

#include "nif/env.h"
#include "process/thread_round.h"

#include <stdatomic.h>

typedef ERL_NIF_TERM NifFunction(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]);
struct NifOpened;
struct NifBinding;

typedef struct NifLibrary {
    _Atomic(int64_t) refc;
    void *handle;      /* of dlopen; NULL: it is part of the runtime */
    ErlNifEntry entry; /* the library's, with what older versions do not have filled in */
    Term module;
    void *priv_data;
    struct NifBinding *functions; /* nif/call.h: those that were bound */
    uint32_t function_count;
    bool loading;      /* load or upgrade runs: options and resource types may be set */
    _Atomic bool unloaded; /* written once, by whoever purges the instance */
    struct NifOpened *opened; /* resource types, nif/type.c: while loading those to be committed, then those it has */
    /* enif_set_option (nif/option.h), while loading only */
    bool delay_halt;
    ErlNifOnHaltCallback *on_halt;
    ErlNifOnUnloadThreadCallback *on_unload_thread;
    ThreadRound round; /* of on_unload_thread */
    _Atomic uint32_t running; /* calls in it, when it delays the halt */
    bool is_published; /* this and the next under LOCK_NIF_LIBRARIES */
    struct NifLibrary *next, *previous; /* the list of those that are bound */
} NifLibrary;

/* One count for the caller; `handle` is the library's from now on. */
NifLibrary *nif_library_create(void *handle, Term module);
void nif_library_retain(NifLibrary *library);
void nif_library_release(NifLibrary *library);
/* It is bound, and changes no more: nif_library_each finds it from now on. */
void nif_library_publish(NifLibrary *library);
/* For who has found it so, and holds the lock still. False: its last count is gone, and it is on its way out. */
must_check bool nif_library_try_retain(NifLibrary *library);
/* Calls `each` for every library that is bound and not unloaded, under LOCK_NIF_LIBRARIES. */
void nif_library_each(void (*each)(NifLibrary *, void *), void *data);
/* The modules for which a library was ever bound, the first one first. */
Term nif_library_modules(Area *area);
/* Of the same, without the lock: by one who is alone, as the program ends. */
void nif_library_each_module_alone(void (*each)(Term module, void *data), void *data);

#endif
