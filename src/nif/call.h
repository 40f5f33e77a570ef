/*
 * A native function of a library, as the engine calls it.
 *
 * A NifCall belongs to its library and lives as long as it; that of a call that goes on later lies in the process's
 * native frame. Entering makes the environment, calls the function, and turns what the function did into what the
 * engine understands (code/native_call.h).
 *
 * Why the library is there as long as the function runs. On a scheduler: the process runs the module's code, as its ip
 * says, so no purge ends before it has been asked, between two slices; after that, if the call goes on later, the frame
 * has a count of the library. On a dirty thread the ip says so only as long as the process is itself: with the gate
 * open to end (process/dirty_gate.h) it may be taken apart at any moment, and nobody who purges sees it any more. So
 * the call has a count of its own, taken before it opens the gate, and given back after it has shut it. While the gate
 * is shut nobody takes the process apart, and who asks what it runs waits for its answer, so the module, or the frame,
 * has a count meanwhile. Taking apart begins with a look: a read-modify-write of the gate, which reads what the store
 * that opened it wrote, and so the count, which came before that store, happens before all that follows from the end
 * of the process, the purge and its release of the library among it.
 */
#ifndef VIV_NIF_CALL_H
#define VIV_NIF_CALL_H

#include "code/function_header.h"
#include "code/native_call.h"
#include "nif/library.h"

typedef struct NifCall {
    NativeCall native; /* must be first */
    NifFunction *function;
    NifLibrary *library;
} NifCall;

/* A function of an instance, and what it calls. */
typedef struct NifBinding {
    FunctionHeader *header;
    NifCall call;
} NifBinding;

/* `flags`: 0, or one of erl_nif.h's ERL_NIF_DIRTY_JOB_*. */
NifCall nif_call_make(unsigned flags, const Export *name, NifFunction *function, NifLibrary *library);

#endif
