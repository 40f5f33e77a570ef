#include "process/trace_point.h"

#include "alloc/alloc.h"
#include "process/signal.h"

/* Those that are called whether somebody traces or not: nothing, where trace/ is not there to fill them in. */
static void nothing_spawned(Process *parent, Process *child, bool linked) {}
static void nothing_to_release(Process *p) {}

TracePoints trace_points = {.spawned = nothing_spawned, .release = nothing_to_release};
_Atomic uint64_t the_trace_epoch;
_Atomic bool trace_is_in_use;
Word trace_return_code[1];

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
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = happen;
    if (!signal_send(pid, &s->call.signal))
        mem_free(ALLOC_SIGNAL, s);
}
