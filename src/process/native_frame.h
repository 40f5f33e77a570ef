/*
 * A native call that goes on later: what enif_schedule_nif leaves behind in its process.
 *
 * A process has at most one. It holds a function of its own, whose body is the native function to be called next: the
 * process goes on at native_frame_entry with the arguments in its x registers. `first` is the function that was called
 * from Erlang, with the arguments of that call: it is what a stack trace shows, however often the call goes on. They
 * are roots of a collection. Only the process's own thread touches it. It is kept for the next time, until the process
 * ends.
 */
#ifndef VIV_PROCESS_NATIVE_FRAME_H
#define VIV_PROCESS_NATIVE_FRAME_H

#include "code/function_header.h"
#include "code/native_call.h"
#include "process/process.h"

#define NATIVE_ARGUMENTS_MAX 255

typedef struct NativeFrame {
    const NativeCall *next;       /* what the body calls */
    Word storage[8];              /* room for it, for whoever sets it */
    const Export *first;          /* NULL: no call is going on */
    Term first_arguments[NATIVE_ARGUMENTS_MAX];
    Term arguments[NATIVE_ARGUMENTS_MAX]; /* of the call to come, until the engine takes them: no roots */
    struct {
        FunctionHeader header;
        Word body;
    } code;
} NativeFrame;

static inline const Word *native_frame_entry(const NativeFrame *f) { return &f->code.body; }
/* The process's frame for a call of `next`, under the name `function` of module and `arity`. When no call is going on,
 * one of `first` with these arguments begins. */
NativeFrame *native_frame_set(Process *p, const NativeCall *next, Term module, Term function, unsigned arity,
                              const Export *first, const Term *first_arguments);
/* The call is over: it returned a term. (The engine ends those that fail.) */
static inline void native_frame_end(NativeFrame *f) { f->first = NULL; }

#endif
