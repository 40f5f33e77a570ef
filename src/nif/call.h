/*
 * A native function of a library, as the engine calls it.
 *
 * A NifCall belongs to its library and lives as long as it. nif_call_enter makes the environment, calls the function,
 * and turns what the function did into what the engine understands (code/native_call.h).
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

Term nif_call_enter(struct Process *p, const Term *x, const NativeCall *native);
Term nif_call_observe(struct Process *self, const Term *x, const NativeCall *native);

#endif
