/*
 * A function whose body is native: what its header (code/function_header.h) holds, and what the engine calls.
 *
 * Written by load_nif/2 (bif/code/nif_load.c) or, for a call that goes on later, by process/native_frame.h; never
 * changes while a header refers to it. `enter` is called as a built-in function is (process/bif.h): with x[0..arity),
 * on the process's own thread, or on a dirty one when `flags` say so (BIF_DIRTY_CPU, BIF_DIRTY_IO); it returns a term,
 * or NON_VALUE with p->fail set. It must not collect. On a dirty thread it is called with the gate shut
 * (process/dirty_gate.h), and opens it around the function itself, when it has made sure that all it needs stays: when
 * it returns another may have ended for the process. `observe` calls the function from outside of a call, with an
 * environment of its own that ends with it: on any thread that is online, `self` (may be NULL) being what it takes for
 * the calling process. It gives what the function returned when that is immediate, else NON_VALUE.
 */
#ifndef VIV_CODE_NATIVE_CALL_H
#define VIV_CODE_NATIVE_CALL_H

#include "code/export.h"

struct Process;

typedef struct NativeCall {
    Term (*enter)(struct Process *p, const Term *x, const struct NativeCall *call);
    Term (*observe)(struct Process *self, const Term *x, const struct NativeCall *call);
    const Export *name; /* by which it shows in stack traces */
    uint32_t flags;
} NativeCall;

/* The instruction words of a native body: plain and dirty. Set once at start by the engine (emu/). */
extern Word native_call_instruction, native_dirty_call_instruction;
static inline Word native_instruction(const NativeCall *call) {
    return call->flags != 0 ? native_dirty_call_instruction : native_call_instruction;
}

#endif
