#include "process/trace_point.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "process/signal.h"

/* Those that are called whether somebody traces or not: nothing, where trace/ is not there to fill them in. */
static void nothing_to_release(Process *p) {}

TracePoints trace_points = {.release = nothing_to_release};
_Atomic uint64_t the_trace_epoch;
_Atomic size_t trace_fresh_sessions;
_Atomic bool trace_is_in_use;

#define UNITS_PER_FRAME 150 /* of long work */

bool trace_frames_raised(Process *p, const Term *from, const Term *to, Term class, Term value) {
    bool any = false;
    for (const Term *slot = from; slot < to; slot++) {
        if (!is_trace_return(*slot))
            continue;
        any = true;
        long_work_count(UNITS_PER_FRAME);
        trace_points.raised(p, (const TraceFrame *)(slot + 1), class, value);
    }
    return any;
}

typedef struct {
    CallSignal call;
    uint32_t flags;
    TraceEvent event;
    Term a;
} EventSignal;

static void happen(Process *p, CallSignal *call) {
    EventSignal *s = container_of(call, EventSignal, call);
    trace_event(p, s->flags, s->event, s->a, NON_VALUE);
    mem_free(ALLOC_SIGNAL, s);
}

void trace_event_elsewhere(Term pid, uint32_t flags, TraceEvent event, Term a) {
    if (!atomic_load_explicit(&trace_is_in_use, memory_order_relaxed))
        return;
    EventSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    *s = (EventSignal){.flags = flags, .event = event, .a = a};
    signal_init(&s->call.signal, SIGNAL_TRACE);
    s->call.handle = happen;
    if (!signal_tell(NULL, pid, &s->call.signal))
        mem_free(ALLOC_SIGNAL, s);
}
