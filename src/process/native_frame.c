#include "process/native_frame.h"

#include "alloc/alloc.h"

#include <string.h>

void native_frame_begin(Process *p, const Export *first, const Term *arguments, NativeFrameRelease *release) {
    if (p->native_frame == NULL)
        p->native_frame = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->native_frame);
    NativeFrame *f = p->native_frame;
    f->first = first;
    f->release = release;
    memcpy(f->first_arguments, arguments, first->arity * sizeof(Term));
}

NativeFrame *native_frame_set(Process *p, const NativeCall *next, Term function, unsigned arity) {
    NativeFrame *f = p->native_frame;
    f->next = next;
    f->code.header = (FunctionHeader){.native = next, .module = f->first->module, .function = function, .arity = arity};
    f->code.body = native_instruction(next);
    return f;
}

void native_frame_end(Process *p) {
    p->native_frame->first = NULL;
    p->native_frame->release(p->native_frame);
}

void native_frame_free(Process *p) {
    if (native_frame_goes_on(p))
        native_frame_end(p);
    mem_free(ALLOC_PROCESS_MISC, p->native_frame);
    p->native_frame = NULL;
}
