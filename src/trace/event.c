/*
 * Events of processes and ports: what each flag reports, and in which form.
 *
 * An event goes to every session that traces the process with one of the event's flags. A tracer that is no more loses
 * its settings. Source: erlang(3) trace/3, "Trace messages"; answers of OTP 25.
 */
#include "base/thread_progress.h"
#include "process/heap_figures.h"
#include "process/place.h"
#include "term/atom.h"
#include "trace/call.h"
#include "trace/event_pattern.h"
#include "trace/dropped.h"
#include "trace/erlang_tracer.h"
#include "trace/install.h"
#include "trace/message.h"
#include "trace/meter.h"
#include "trace/publish.h"

typedef struct {
    uint32_t flags;
    Term tag;
    uint8_t arguments; /* how many of the two */
    uint8_t topic;     /* TracerTopic */
} EventForm;

static const EventForm forms[EVENT_COUNT] = {
    [EVENT_SEND] = {TRACE_SEND, am_send_word, 2, TOPIC_SEND},
    [EVENT_SEND_TO_NOBODY] = {TRACE_SEND, am_send_to_non_existing_process, 2, TOPIC_SEND},
    [EVENT_RECEIVE] = {TRACE_RECEIVE, am_receive, 1, TOPIC_RECEIVE},
    [EVENT_SPAWN] = {TRACE_PROCS, am_spawn, 2, TOPIC_PROCS},
    [EVENT_SPAWNED] = {TRACE_PROCS, am_spawned, 2, TOPIC_PROCS},
    [EVENT_EXIT] = {TRACE_PROCS, am_exit, 1, TOPIC_PROCS},
    [EVENT_LINK] = {TRACE_PROCS, am_link, 1, TOPIC_PROCS},
    [EVENT_UNLINK] = {TRACE_PROCS, am_unlink, 1, TOPIC_PROCS},
    [EVENT_GETTING_LINKED] = {TRACE_PROCS, am_getting_linked, 1, TOPIC_PROCS},
    [EVENT_GETTING_UNLINKED] = {TRACE_PROCS, am_getting_unlinked, 1, TOPIC_PROCS},
    [EVENT_REGISTER] = {TRACE_PROCS, am_register, 1, TOPIC_PROCS},
    [EVENT_UNREGISTER] = {TRACE_PROCS, am_unregister, 1, TOPIC_PROCS},
    [EVENT_IN] = {TRACE_SCHEDULING, am_in, 0, TOPIC_RUNNING_PROCS},
    [EVENT_OUT] = {TRACE_SCHEDULING, am_out, 0, TOPIC_RUNNING_PROCS},
    [EVENT_OUT_FOR_PORT] = {TRACE_RUNNING_PROCS, am_out, 0, TOPIC_RUNNING_PROCS},
    [EVENT_IN_FROM_PORT] = {TRACE_RUNNING_PROCS, am_in, 0, TOPIC_RUNNING_PROCS},
    [EVENT_IN_EXITING] = {TRACE_EXITING, am_in_exiting, 0, TOPIC_RUNNING_PROCS},
    [EVENT_OUT_EXITING] = {TRACE_EXITING, am_out_exiting, 0, TOPIC_RUNNING_PROCS},
    [EVENT_OUT_EXITED] = {TRACE_EXITING, am_out_exited, 0, TOPIC_RUNNING_PROCS},
    [EVENT_MINOR_START] = {TRACE_GARBAGE_COLLECTION, am_gc_minor_start, 1, TOPIC_GARBAGE_COLLECTION},
    [EVENT_MINOR_END] = {TRACE_GARBAGE_COLLECTION, am_gc_minor_end, 1, TOPIC_GARBAGE_COLLECTION},
    [EVENT_MAJOR_START] = {TRACE_GARBAGE_COLLECTION, am_gc_major_start, 1, TOPIC_GARBAGE_COLLECTION},
    [EVENT_MAJOR_END] = {TRACE_GARBAGE_COLLECTION, am_gc_major_end, 1, TOPIC_GARBAGE_COLLECTION},
    [EVENT_MAX_HEAP_SIZE] = {TRACE_GARBAGE_COLLECTION, am_gc_max_heap_size, 1, TOPIC_GARBAGE_COLLECTION},
};

static const EventForm port_forms[EVENT_COUNT] = {
    [EVENT_SEND] = {TRACE_SEND, am_send_word, 2, TOPIC_SEND},
    [EVENT_SEND_TO_NOBODY] = {TRACE_SEND, am_send_to_non_existing_process, 2, TOPIC_SEND},
    [EVENT_RECEIVE] = {TRACE_RECEIVE, am_receive, 1, TOPIC_RECEIVE},
    [EVENT_GETTING_LINKED] = {TRACE_PORTS, am_getting_linked, 1, TOPIC_PORTS},
    [EVENT_GETTING_UNLINKED] = {TRACE_PORTS, am_getting_unlinked, 1, TOPIC_PORTS},
    [EVENT_REGISTER] = {TRACE_PORTS, am_register, 1, TOPIC_PORTS},
    [EVENT_UNREGISTER] = {TRACE_PORTS, am_unregister, 1, TOPIC_PORTS},
    [EVENT_PORT_OPEN] = {TRACE_PORTS, am_open, 2, TOPIC_PORTS},
    [EVENT_PORT_CLOSED] = {TRACE_PORTS, am_closed, 1, TOPIC_PORTS},
    [EVENT_PORT_LINKED] = {TRACE_PORTS, am_getting_linked, 1, TOPIC_PORTS},
    [EVENT_PORT_IN] = {TRACE_RUNNING_PORTS, am_in, 1, TOPIC_RUNNING_PORTS},
    [EVENT_PORT_OUT] = {TRACE_RUNNING_PORTS, am_out, 1, TOPIC_RUNNING_PORTS},
};

/* At an end, a process's own or that of one that it was linked to, modules are asked for their status first. */
static bool asks_status(const EventForm *form) { return form->tag == am_exit || form->tag == am_getting_unlinked; }

static TracerAnswer ask(const Process *p, Term tracer, const EventForm *form) {
    if (asks_status(form) && is_tracer_module(tracer) && !tracer_is_alive(tracer, p->pid))
        return TRACER_REMOVE;
    return trace_ask(p, tracer, form->topic, form->tag);
}

/* A pattern of the session's own for messages may let it pass, or not, and change p's settings. As on the stock runtime
 * it has no say in what ports send and receive. */
static bool passes(Process *p, TraceSession *session, const EventForm *form, TraceContent *content) {
    if (!(form->flags & (TRACE_SEND | TRACE_RECEIVE)) || p->body != NULL)
        return true;
    MessageKind kind = form->flags & TRACE_SEND ? MESSAGES_SENT : MESSAGES_RECEIVED;
    return event_pattern_passes(p, session, kind, content->element[1], content->element[2], content);
}

/* What happens to a process from elsewhere leaves its settings as they are, whatever a module answers. */
static bool may_remove(const EventForm *form) { return form->topic != TOPIC_PROCS && form->topic != TOPIC_RECEIVE; }

/* Its tracer, which is who hears of it whatever a pattern does to the settings; NIL: nobody. Good until the next
 * quiescent point. */
static Term listener(Process *p, TraceSession *session, Term tracer, const EventForm *form) {
    TracerAnswer answer = ask(p, tracer, form);
    ProcessTrace *t = answer == TRACER_REMOVE && may_remove(form) ? trace_find(p, session) : NULL;
    if (t != NULL)
        trace_stop(p, t);
    return answer == TRACER_TRACE ? tracer : NIL;
}

#define COLLECTION_WORDS (HEAP_FIGURES_WORDS + 5)
static Term sizes_at_collection(const Process *p, Term words, Area *area) {
    Term size = is_nil(words) ? NIL : area_tuple2(area, am_wordsize, words);
    Term figures = heap_figures(p, area);
    return is_nil(size) ? figures : area_cons(area, size, figures);
}

#define PLACE_WORDS 4
/* One that a signal ends is where it was until it has begun to. */
static Term place(const Process *p, Term none, Area *area) {
    return p->exit_state == NULL ? place_in_code(p, area) : place_of_process(p, area);
}

/* What is built in the message itself. */
static void complete(const EventForm *form, TraceContent *content) {
    if (form->topic == TOPIC_GARBAGE_COLLECTION) {
        content->make = sizes_at_collection;
        content->made_words = COLLECTION_WORDS;
    } else if (form->flags & (TRACE_SCHEDULING | TRACE_EXITING)) {
        content->element[content->count++] = NIL;
        content->make = place;
        content->made_words = PLACE_WORDS;
    }
}

typedef struct {
    const EventForm *form;
    Term a, b;
} Event;

static void tell(Process *p, ProcessTrace *t, const Event *event) {
    const EventForm *form = event->form;
    TraceSession *session = t->session;
    TraceContent content = {.element = {form->tag, event->a, event->b},
                            .count = 1 + form->arguments,
                            .result = NON_VALUE,
                            .topic = form->topic,
                            .session = session};
    complete(form, &content);
    uint32_t flags = t->flags;
    Term tracer = t->tracer.term;
    if (!passes(p, session, form, &content))
        return;
    tracer = listener(p, session, tracer, form);
    if (is_nil(tracer) || (unlikely(session->limit != NULL) && !limit_admits(session->limit, form->topic, 1)))
        return;
    t = trace_find(p, session);
    if (t != NULL && t->flags != 0)
        flags = t->flags;
    if (trace_tell(p, tracer, flags, &content) == TELL_NOBODY && t != NULL)
        trace_stop(p, t);
}

/* Has nobody a say in it but its session's limit, and does that refuse it? Looks at nothing that others may free. */
static bool is_refused_at_once(const ProcessTrace *t, const EventForm *form) {
    const TraceSession *s = t->session;
    bool is_message = (form->flags & (TRACE_SEND | TRACE_RECEIVE)) != 0;
    MessageKind kind = form->flags & TRACE_SEND ? MESSAGES_SENT : MESSAGES_RECEIVED;
    return !(is_message && event_pattern_is_set(s, kind)) && !is_tracer_module(t->tracer.term) &&
           limit_refuses_at_once(s->limit, form->topic);
}

static void tell_in_time(Process *p, ProcessTrace *t, const Event *event) {
    TraceLimit *limit = t->session->limit;
    int64_t began;
    if (likely(limit == NULL)) {
        tell(p, t, event);
    } else if (is_refused_at_once(t, event->form)) {
        return;
    } else if (limit_enter(limit, event->form->topic, &began)) {
        tell(p, t, event);
        limit_leave(limit, began);
    }
}

/* As on the stock runtime: flags that lead to nobody go when the process next runs, whatever they are. */
static void forget_dead_tracers(Process *p) {
    for (ProcessTrace *t = p->trace, *next; t != NULL; t = next) {
        next = t->next;
        if (t->flags != 0)
            trace_find_live(p, t->session);
    }
}

static const EventForm *form_of(const Process *p, TraceEvent e) {
    return likely(p->body == NULL) ? &forms[e] : &port_forms[e];
}

static void send_event(Process *p, TraceEvent e, Term a, Term b) {
    const EventForm *form = form_of(p, e);
    if (e == EVENT_IN || e == EVENT_IN_FOR_TASKS)
        forget_dead_tracers(p);
    if (e == EVENT_IN && p->trace_flags != 0) {
        meter_in(p);
    } else if (e == EVENT_OUT || e == EVENT_RUNS_NO_MORE) {
        meter_out(p);
    }
    if (!(p->trace_flags & form->flags))
        return;
    const Event event = {form, a, b};
    for (ProcessTrace *t = p->trace, *next; t != NULL; t = next) {
        next = t->next;
        if ((t->flags & form->flags) && !trace_session_is_over(t->session))
            tell_in_time(p, t, &event);
    }
}

/* By the limit of the one session that traces p, with nothing else to do. Flags that lead to nobody stay for a tick of
 * that limit longer. */
static bool is_refused(const Process *p, TraceEvent e) {
    const EventForm *form = form_of(p, e);
    const ProcessTrace *t = p->trace;
    return (p->trace_flags & form->flags) && t->session->limit != NULL && t->next == NULL && t->time.charged == 0 &&
           !trace_session_is_over(t->session) && is_refused_at_once(t, form);
}

/* On a dirty thread too (a collection after a call there), which is not online. */
static void tell_event(Process *p, TraceEvent e, Term a, Term b) {
    if (is_refused(p, e))
        return;
    thread_progress_enter();
    send_event(p, e, a, b);
    thread_progress_leave();
}

void trace_install(void) {
    trace_sessions_init();
    trace_points.event = tell_event;
    trace_points.collected = meter_forgive;
    trace_calls_install();
    dropped_install();
    erlang_tracer_install();
    trace_publish_install();
}
