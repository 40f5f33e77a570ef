/*
 * What a process spends in traced functions: call_time and call_memory.
 *
 * A process has, in each session, one meter for time and one for memory: the function that it is charged to, and where
 * the clock (nanoseconds, or words that the process has built) stood when it was charged last. The stock runtime's
 * rules, found by running it (OTP 25, OTP 27):
 *   - a call of a metered function charges what has passed to the function before, counts one call, and charges to the
 *     called function from now on; what that calls without being metered itself is its own;
 *   - its return charges to it, and goes on with the function that was charged before the call, or none;
 *   - a call in tail position, where a traced call still has to return, leaves no such return behind: that of the
 *     caller covers both. This holds whatever that return is for: return_trace, return_to or a meter;
 *   - an exception is no return: the function that it left is charged until the next call or return of a metered one;
 *   - time counts while the process is scheduled in, and is charged each time it is scheduled out and when it ends;
 *   - memory counts words on the heap, messages taken in among them; collections make no difference;
 *   - a paused pattern counts no calls and charges nothing anew, but a function that is already charged goes on;
 *   - only calls of processes with the flag `call` count; one that loses it goes on with what is begun.
 * A pattern that is taken away and set anew has a new account: a process that was in the function is charged from its
 * next call on.
 *
 * Meters are the process's own (trace/session.h, ProcessTrace): written by its thread.
 */
#ifndef VIV_TRACE_METER_H
#define VIV_TRACE_METER_H

#include "trace/call.h"
#include "trace/pattern.h"
#include "trace/session.h"

/* A call of a function that has one of the two kinds. Adds frames for the returns. `returns_traced`: a trace frame is
 * what the call returns to. */
void meter_call(Process *p, ProcessTrace *t, const BpEntry *e, bool returns_traced, TraceFrames *frames);
/* A frame of a meter's is met by a return: `what` says which, the frame's `tracer` what was charged before. */
void meter_return(Process *p, ProcessTrace *t, uint32_t kind, Term before);

/* The process was scheduled in; is scheduled out, or ends. */
void meter_in(Process *p);
void meter_out(Process *p);
/* The words that p has built have changed by so many, and nobody is to be charged. */
void meter_forgive(Process *p, int64_t words);
/* As the meters of memory count. */
static inline int64_t meter_words(const Process *p) {
    const Heap *h = &p->heap;
    return (h->area.top - h->start) + (h->old_top - h->old_start) + (int64_t)h->fragment_words;
}
/* Is something charged? */
static inline bool meter_runs(const ProcessTrace *t) { return (t->time.charged | t->memory.charged) != 0; }

#endif
