/*
 * Events of processes: what each flag reports, and in which form.
 *
 * An event goes to every session that traces the process with one of the event's flags. A tracer that is no more loses
 * its settings. Source: erlang(3) trace/3, "Trace messages"; answers of OTP 25.
 */
#include "code/ranges.h"
#include "term/atom.h"
#include "trace/call.h"
#include "trace/event_pattern.h"
#include "trace/install.h"
#include "trace/message.h"
#include "trace/meter.h"
#include "trace/publish.h"

typedef struct {
    uint32_t flags;
    Term tag;
    uint8_t arguments; /* how many of the two */
} EventForm;

static const EventForm forms[EVENT_COUNT] = {
    [EVENT_SEND] = {TRACE_SEND, am_send_word, 2},
    [EVENT_SEND_TO_NOBODY] = {TRACE_SEND, am_send_to_non_existing_process, 2},
    [EVENT_RECEIVE] = {TRACE_RECEIVE, am_receive, 1},
    [EVENT_SPAWN] = {TRACE_PROCS, am_spawn, 2},
    [EVENT_SPAWNED] = {TRACE_PROCS, am_spawned, 2},
    [EVENT_EXIT] = {TRACE_PROCS, am_exit, 1},
    [EVENT_LINK] = {TRACE_PROCS, am_link, 1},
    [EVENT_UNLINK] = {TRACE_PROCS, am_unlink, 1},
    [EVENT_GETTING_LINKED] = {TRACE_PROCS, am_getting_linked, 1},
    [EVENT_GETTING_UNLINKED] = {TRACE_PROCS, am_getting_unlinked, 1},
    [EVENT_REGISTER] = {TRACE_PROCS, am_register, 1},
    [EVENT_UNREGISTER] = {TRACE_PROCS, am_unregister, 1},
    [EVENT_IN] = {TRACE_SCHEDULING, am_in, 0},
    [EVENT_OUT] = {TRACE_SCHEDULING, am_out, 0},
    [EVENT_IN_EXITING] = {TRACE_EXITING, am_in_exiting, 0},
    [EVENT_OUT_EXITING] = {TRACE_EXITING, am_out_exiting, 0},
    [EVENT_OUT_EXITED] = {TRACE_EXITING, am_out_exited, 0},
    [EVENT_MINOR_START] = {TRACE_GARBAGE_COLLECTION, am_gc_minor_start, 1},
    [EVENT_MINOR_END] = {TRACE_GARBAGE_COLLECTION, am_gc_minor_end, 1},
    [EVENT_MAJOR_START] = {TRACE_GARBAGE_COLLECTION, am_gc_major_start, 1},
    [EVENT_MAJOR_END] = {TRACE_GARBAGE_COLLECTION, am_gc_major_end, 1},
};

/* Where the process is, as the events of scheduling tell it. */
static Term place_of(Process *p) {
    Area *area = process_area(p);
    CodePlace place;
    if (process_is_exiting(p))
        return small_make(0);
    if (p->ip != NULL && range_place(p->ip, &place))
        return area_tuple3(area, place.function->module, place.function->function,
                           small_make((SWord)place.function->arity));
    return area_tuple3(area, p->initial_module, p->initial_function, small_make((SWord)p->initial_arity));
}

/* set_on_link: who is linked to gets the flags, before it hears of the link. */
static void flags_follow_link(ProcessTrace *t, Term pid) {
    TraceOrder order = {true, trace_hand_on(t, TRACE_SET_ON_LINK, TRACE_SET_ON_FIRST_LINK), t->tracer};
    if (order.flags != 0)
        trace_follow(pid, t->session, &order);
}

/* `content` is this session's own: a pattern of its may add to it. */
static void tell(Process *p, ProcessTrace *t, TraceEvent e, TraceContent content) {
    TraceSession *session = t->session;
    uint32_t flags = t->flags;
    Term tracer = t->tracer;
    if (forms[e].flags & (TRACE_SEND | TRACE_RECEIVE)) {
        MessageKind kind = forms[e].flags & TRACE_SEND ? MESSAGES_SENT : MESSAGES_RECEIVED;
        if (!event_pattern_passes(p, session, kind, content.element[1], content.element[2], &content))
            return;
        t = trace_find(p, session); /* the pattern may have changed the flags, and ended the trace */
    }
    if (t != NULL) {
        flags = t->flags;
        tracer = t->tracer;
    }
    if (!trace_message_send(p, tracer, flags, &content) && t != NULL)
        trace_drop(p, t);
}

static void event(Process *p, TraceEvent e, Term a, Term b) {
    const EventForm *form = &forms[e];
    if (e == EVENT_IN)
        meter_in(p);
    else if (e == EVENT_OUT || e == EVENT_RUNS_NO_MORE)
        meter_out(p);
    if (!(p->trace_flags & form->flags) && e != EVENT_LINK)
        return;
    TraceContent content = {.element = {form->tag, a, b}, .count = 1 + form->arguments};
    if (form->flags & (TRACE_SCHEDULING | TRACE_EXITING))
        content.element[content.count++] = place_of(p);
    for (ProcessTrace *t = p->trace, *next; t != NULL; t = next) {
        next = t->next;
        if (e == EVENT_LINK)
            flags_follow_link(t, a);
        if ((t->flags & form->flags) && t->tracer != p->pid)
            tell(p, t, e, content);
    }
}

void trace_install(void) {
    trace_sessions_init();
    trace_points.event = event;
    trace_points.collected = meter_forgive;
    trace_calls_install();
    trace_publish_install();
}
