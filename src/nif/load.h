/*
 * Loading a library for an instance of a module, in three steps: open, start, bind. The first two either succeed or
 * change nothing and say why not, in the words of the stock runtime. They are for a thread that is not online
 * (base/thread_progress.h), with no permission held: opening may read from disks, callbacks do what they like. One at a
 * time for a module; the instance stays in memory meanwhile, and the library before (bif/code/nif_load.c sees to it).
 *
 * Source: erlang(3) load_nif/2, erl_nif(3) "Initialization"; texts as OTP 25 answers.
 */
#ifndef VIV_NIF_LOAD_H
#define VIV_NIF_LOAD_H

#include "code/module.h"
#include "nif/library.h"
#include "term/text.h"

/* Why a library was not loaded: {error, {Reason, Text}}. */
typedef struct {
    Term reason; /* an atom; NON_VALUE when all is well */
    Text text;
} NifRefusal;

/* One that is part of the runtime: found instead of a shared object where that would be looked for by the module's mere
 * name. At the start. */
void nif_add_inner(const ErlNifEntry *entry);

/* The shared object `path`.so, its entry checked against the functions of the instance. NULL: refused. */
NifLibrary *nif_library_open(const char *path, const ModuleInstance *instance, NifRefusal *refusal);
/* Runs `upgrade` when there is a library before (may be NULL), else `load`. False: refused, the library is released. */
bool nif_library_start(NifLibrary *library, struct Process *p, NifLibrary *before, Term info, NifRefusal *refusal);
/* What the library opened takes effect, and the functions of the instance become native, each with one store of its
 * first instruction. The instance takes over the caller's count. With the code modification permission; any thread. */
void nif_library_bind(NifLibrary *library, ModuleInstance *instance);
/* The instance is gone, nothing can call its functions any more: gives up the instance's count. */
void nif_library_unload(NifLibrary *library);

#endif
