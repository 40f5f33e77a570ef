#include "process/native_frame.h"

#include "alloc/alloc.h"

#include <string.h>

NativeFrame *native_frame_set(Process *p, const NativeCall *next, Term module, Term function, unsigned arity,
                              const Export *first, const Term *first_arguments) {
    NativeFrame *f = p->native_frame;
    if (f == NULL)
        f = p->native_frame = mem_calloc(ALLOC_PROCESS_MISC, sizeof *f);
    if (f->first == NULL) {
        f->first = first;
        memcpy(f->first_arguments, first_arguments, first->arity * sizeof(Term));
    }
    f->next = next;
    f->code.header = (FunctionHeader){.native = next, .module = module, .function = function, .arity = arity};
    f->code.body = native_instruction(next);
    return f;
}
