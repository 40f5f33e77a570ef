/*
 * Frames of traced calls: what makes a traced function tell of its return.
 *
 * A frame is a return address to the engine's instruction `return_trace`, and the words of a TraceFrame below it. It is
 * pushed at the entry of the function; whoever returns there, or passes it with an exception, tells of it
 * (process/trace_point.h), and the frame is gone.
 */
#ifndef VIV_PROCESS_TRACE_FRAME_H
#define VIV_PROCESS_TRACE_FRAME_H

#include "term/term.h"

/* What lies on the stack below a return address that leads to the engine's instruction `return_trace`. */
#define TRACE_FRAME_WORDS 5
typedef struct {
    Term module, function;
    Term what;    /* a small: arity, and what is wanted (trace/call.c) */
    Term session; /* a small: its number */
    Term tracer;  /* of meta trace: a pid, or {Module, State} on the heap; otherwise NIL */
} TraceFrame;

/* Those that a call wants, the innermost first; what is beyond the greatest number (there are more than a hundred
 * sessions) is not pushed. */
#define TRACE_FRAMES_MAX 512
typedef struct {
    unsigned count, capacity;
    TraceFrame *frames; /* `first`, or a block of ALLOC_TRACE */
    TraceFrame first[4];
} TraceFrames;
void trace_frames_init(TraceFrames *f);
void trace_frames_add(TraceFrames *f, const TraceFrame *frame);
void trace_frames_release(TraceFrames *f);

/* Where the return addresses of frames lead: an instruction that belongs to no function, set once at start by the
 * engine. They are no callers. */
extern Word trace_return_code[1];
static inline bool is_trace_return(Term slot) { return slot == return_address_make(trace_return_code); }

#endif
