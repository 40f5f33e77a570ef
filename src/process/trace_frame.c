#include "process/trace_frame.h"

#include <string.h>

#include "alloc/alloc.h"

Word trace_return_code[1];

void trace_frames_init(TraceFrames *f) {
    f->count = 0;
    f->capacity = array_length(f->first);
    f->frames = f->first;
}

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

size_t trace_frames_words(const TraceFrames *f) {
    size_t words = f->count;
    for (unsigned i = 0; i < f->count; i++)
        words += trace_frame_words(&f->frames[i]);
    return words;
}

void trace_frames_release(TraceFrames *f) {
    if (f->frames != f->first)
        mem_free(ALLOC_TRACE, f->frames);
}
