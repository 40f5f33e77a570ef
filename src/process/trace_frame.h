/*
 * Frames of traced calls: what makes a traced function tell of its return.
 *
 * A frame is a return address to the engine's instruction `return_trace`, and the first words of a TraceFrame below it.
 * It is pushed at the entry of the function; whoever returns there, or passes it with an exception, tells of it
 * (process/trace_point.h), and the frame is gone. A deep recursion has one for each call, so they are no larger than
 * they must be: `what` tells how many words there are,
 *   - a small that is not negative is all that call_time of the default session needs: what its meter charged before;
 *   - meters of other sessions, or of memory (FRAME_SHORT), have that as the second word;
 *   - all others have the whole; those of sums (FRAME_SUM) have the key in the place of the tracer, and when the call
 *     began and which sum it is, as smalls, in those of the module and the function.
 */
#ifndef VIV_PROCESS_TRACE_FRAME_H
#define VIV_PROCESS_TRACE_FRAME_H

#include "term/term.h"

/* What lies on the stack below a return address that leads to the engine's instruction `return_trace`. */
#define TRACE_FRAME_WORDS 4
typedef struct {
    Term what;
    /* Of meta trace: a pid, or {Module, State} on the heap; of meters a small; of sums a key; otherwise NIL. */
    Term tracer;
    Term module, function;
} TraceFrame;

/* Bits of what is wanted, above the arity; the others are trace/call.h's. */
enum {
    FRAME_TIME = 1 << 20,
    FRAME_MEMORY = 1 << 21,
    FRAME_SHORT = 1 << 22,
    FRAME_SUM = 1 << 23,
    FRAME_SESSION_SHIFT = 24,
};
#define FRAME_OF_DEFAULT_SESSION (-1)
static inline Term trace_frame_what(int64_t session, uint32_t what) {
    return small_make(~(((SWord)session + 1) << FRAME_SESSION_SHIFT | (SWord)what));
}
static inline bool trace_frame_is_short_time(const TraceFrame *f) { return small_value(f->what) >= 0; }
static inline uint32_t trace_frame_wants(const TraceFrame *f) {
    return trace_frame_is_short_time(f) ? FRAME_TIME
                                        : (uint32_t)(~small_value(f->what) & ((1 << FRAME_SESSION_SHIFT) - 1));
}
static inline int64_t trace_frame_session(const TraceFrame *f) {
    return trace_frame_is_short_time(f) ? FRAME_OF_DEFAULT_SESSION : (~small_value(f->what) >> FRAME_SESSION_SHIFT) - 1;
}
static inline size_t trace_frame_words(const TraceFrame *f) {
    return trace_frame_is_short_time(f) ? 1 : trace_frame_wants(f) & FRAME_SHORT ? 2 : TRACE_FRAME_WORDS;
}

/* Those that a call wants, the innermost first; what is beyond the greatest number (there are more than a hundred
 * sessions) is not pushed. */
#define TRACE_FRAMES_MAX 512
typedef struct {
    unsigned count, capacity;
    TraceFrame *frames; /* `first`, or a block of ALLOC_TRACE */
    TraceFrame first[4];
} TraceFrames;
static inline void trace_frames_init(TraceFrames *f) {
    f->count = 0;
    f->capacity = array_length(f->first);
    f->frames = f->first;
}
void trace_frames_add(TraceFrames *f, const TraceFrame *frame);
void trace_frames_free_block(TraceFrames *f);
static inline void trace_frames_release(TraceFrames *f) {
    if (unlikely(f->frames != f->first))
        trace_frames_free_block(f);
}
/* What they take on the stack, their return addresses included. */
static inline size_t trace_frames_words(const TraceFrames *f) {
    size_t words = f->count;
    for (unsigned i = 0; i < f->count; i++)
        words += trace_frame_words(&f->frames[i]);
    return words;
}

/* Where the return addresses of frames lead: an instruction that belongs to no function, set once at start by the
 * engine. They are no callers. */
extern Word trace_return_code[1];
static inline bool is_trace_return(Term slot) { return slot == return_address_make(trace_return_code); }

#endif
