#include "trace/meter.h"

#include "sys/clock.h"

static void charge(const Process *p, Meter *m, int64_t now) {
    CallCost *cost = m->charged != 0 ? cost_find(m->charged) : NULL;
    if (cost != NULL)
        cost_add(cost, p->pid, 0, now - m->since);
    m->since = now;
}

/* What was charged before, as a small. */
static Term change_over(const Process *p, Meter *m, CallCost *to, int64_t now) {
    Term before = small_make((SWord)m->charged);
    charge(p, m, now);
    cost_add(to, p->pid, 1, 0);
    m->charged = to->handle;
    return before;
}

static bool counts(const CallCost *cost) {
    return cost != NULL && !atomic_load_explicit(&cost->is_paused, memory_order_relaxed);
}

static void add_frame(TraceFrames *frames, const BpEntry *e, uint32_t what, Term before) {
    bool is_common = what == FRAME_TIME && e->session->number == FRAME_OF_DEFAULT_SESSION;
    const TraceFrame frame = {.what = is_common ? before : trace_frame_what(e->session->number, what | FRAME_SHORT),
                              .tracer = before};
    trace_frames_add(frames, &frame);
}

void meter_call(Process *p, ProcessTrace *t, const BpEntry *e, bool returns_traced, TraceFrames *frames) {
    if (counts(e->time)) {
        Term before = change_over(p, &t->time, e->time, clock_monotonic());
        if (!returns_traced)
            add_frame(frames, e, FRAME_TIME, before);
    }
    if (counts(e->memory)) {
        Term before = change_over(p, &t->memory, e->memory, meter_words(p));
        if (!returns_traced)
            add_frame(frames, e, FRAME_MEMORY, before);
    }
}

void meter_return(Process *p, ProcessTrace *t, uint32_t kind, Term before) {
    Meter *m = kind == FRAME_TIME ? &t->time : &t->memory;
    charge(p, m, kind == FRAME_TIME ? clock_monotonic() : meter_words(p));
    m->charged = (Word)small_value(before);
}

void meter_in(Process *p) {
    int64_t now = 0;
    for (ProcessTrace *t = p->trace; t != NULL; t = t->next)
        if (t->time.charged != 0 && (t->flags & TRACE_CALL))
            t->time.since = now != 0 ? now : (now = clock_monotonic());
}

void meter_out(Process *p) {
    int64_t now = 0;
    for (ProcessTrace *t = p->trace; t != NULL; t = t->next)
        if (t->time.charged != 0 && (t->flags & TRACE_CALL))
            charge(p, &t->time, now != 0 ? now : (now = clock_monotonic()));
}

void meter_forgive(Process *p, int64_t words) {
    for (ProcessTrace *t = p->trace; t != NULL; t = t->next)
        t->memory.since += words;
}
