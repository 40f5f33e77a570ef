#include "process/trace_frame.h"

#include <string.h>

#include "alloc/alloc.h"

Word trace_return_code[1];

void trace_frames_add(TraceFrames *f, const TraceFrame *frame) {
    if (f->count == TRACE_FRAMES_MAX)
        return;
    if (f->count == f->capacity) {
        TraceFrame *more = mem_alloc(ALLOC_TRACE, 2 * f->capacity * sizeof *more);
        memcpy(more, f->frames, f->count * sizeof *more);
        trace_frames_release(f);
        f->frames = more;
        f->capacity *= 2;
    }
    f->frames[f->count++] = *frame;
}

void trace_frames_free_block(TraceFrames *f) { mem_free(ALLOC_TRACE, f->frames); }
