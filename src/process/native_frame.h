/*
 * A native call that goes on later: what enif_schedule_nif leaves behind in its process.
 *
 * A process has at most one. It holds a function of its own, whose body is the native function to be called next: the
 * process goes on at native_frame_entry with the arguments in its x registers. `first` is the function that was called
 * from Erlang, with the arguments of that call: it is what a stack trace shows, however often the call goes on. They
 * are roots of a collection. Only the process's own thread touches it. It is kept for the next time, until the process
 * ends.
 *
 * Nothing of the process refers to the code that was called from Erlang: it may be purged while the call goes on, as in
 * the stock runtime, and that is no reason to kill the process. So whoever sets the frame keeps what the parts need, a
 * count of the library, from native_frame_begin until `release` is called: when the call is over, or the process ends.
 */
#ifndef VIV_PROCESS_NATIVE_FRAME_H
#define VIV_PROCESS_NATIVE_FRAME_H

#include "code/function_header.h"
#include "code/native_call.h"
#include "process/process.h"

#define NATIVE_ARGUMENTS_MAX 255

struct NativeFrame;
typedef void NativeFrameRelease(struct NativeFrame *frame);

typedef struct NativeFrame {
    const NativeCall *next;       /* what the body calls */
    Word storage[8];              /* room for it, for whoever sets it */
    const Export *first;          /* NULL: no call is going on */
    NativeFrameRelease *release;
    Term first_arguments[NATIVE_ARGUMENTS_MAX];
    Term arguments[NATIVE_ARGUMENTS_MAX]; /* of the call to come, until the engine takes them: no roots */
    struct {
        FunctionHeader header;
        Word body;
    } code;
} NativeFrame;

static inline const Word *native_frame_entry(const NativeFrame *f) { return &f->code.body; }
static inline bool native_frame_goes_on(const Process *p) {
    return p->native_frame != NULL && p->native_frame->first != NULL;
}
/* A call begins, which goes on later: of `first` with these arguments. */
void native_frame_begin(Process *p, const Export *first, const Term *arguments, NativeFrameRelease *release);
/* What it goes on with: `next`, under the name `function` and `arity`. By each part but the last. */
NativeFrame *native_frame_set(Process *p, const NativeCall *next, Term function, unsigned arity);
/* The call is over: it returned a term. (The engine ends those that fail.) The library may go with it. */
void native_frame_end(Process *p);
/* The process ends: by the thread that has it. */
void native_frame_free(Process *p);

#endif
