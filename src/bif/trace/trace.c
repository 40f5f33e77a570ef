/*
 * Trace flags of processes: what erlang:trace/3 calls. Source: erlang(3) trace/3, trace_delivered/1; which arguments
 * are refused, and how, is OTP 25's.
 */
#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/trace/trace_session.h"
#include "bif_table.h"
#include "process/port_table.h"
#include "process/process_table.h"
#include "process/reference.h"
#include "process/report.h"
#include "process/request.h"
#include "process/time_stamp.h"
#include "term/atom.h"
#include "trace/flags.h"

/* Of several tracers among the flags the last one counts; without one it is the caller. A session has its own, and no
 * other is named there. */
static bool read_flags(Process *p, const TraceSession *s, Term list, TraceOrder *order, bool *cpu_time) {
    for (; is_list(list); list = list_tail(list)) {
        Term t = list_head(list);
        uint32_t flag = is_atom(t) ? trace_flag(t) : 0;
        order->flags |= flag;
        if (t == am_cpu_timestamp)
            *cpu_time = true;
        else if (flag == 0 && (tracer_is_named(s->tracer) || !tracer_read_option(t, am_tracer, &order->tracer)))
            return false;
    }
    if (!tracer_is_named(order->tracer) && order->on)
        order->tracer = tracer_is_named(s->tracer) ? tracer_keep(s->tracer) : (Tracer){p->pid};
    return is_nil(list);
}

/* Whom a word names: of which kinds, and whether those that exist, those that come, or both. */
typedef struct {
    Term name;
    bool kind[TRACED_KINDS];
    bool existing, fresh;
} Who;

/* NULL: it is no such word. */
static const Who *who_is(Term name) {
    static const Who words[] = {
        {am_all, {true, true}, true, true},
        {am_processes, {true, false}, true, true},
        {am_ports, {false, true}, true, true},
        {am_existing, {true, true}, true, false},
        {am_existing_processes, {true, false}, true, false},
        {am_existing_ports, {false, true}, true, false},
        {am_new, {true, true}, false, true},
        {am_new_processes, {true, false}, false, true},
        {am_new_ports, {false, true}, false, true},
    };
    for (size_t i = 0; i < array_length(words); i++)
        if (words[i].name == name)
            return &words[i];
    return NULL;
}

static bool is_one(Term t) { return is_local_pid(t) || is_local_port(t); }

/* As the stock runtime it says why, but in a report. */
static Term has_another_tracer(Process *p) {
    static const char text[] = "** can only have one tracer per process\n";
    Term argument = list_from_bytes(process_area(p), text, sizeof text - 1, NIL);
    report_error(p, "~s~n", &argument, 1);
    return fail_badarg(p);
}

/* `s`: NULL when it has ended meanwhile. */
static Term refused(Process *p, const TraceSession *s) {
    return s != NULL ? has_another_tracer(p) : trace_session_badarg(p);
}

static Term one(Process *p, TraceSession *s, Term pid, const TraceOrder *order) {
    if (pid == p->pid)
        return trace_apply(p, s, order) ? small_make(1) : has_another_tracer(p);
    uint64_t id = request_begin(p);
    if (trace_process(p, pid, s, order, id))
        return request_wait(p);
    request_end(p);
    return fail_badarg(p);
}

#define FLAGS_OF_PORTS (TRACE_PORTS | TRACE_RUNNING_PORTS)
/* That processes and ports have. */
#define FLAGS_OF_BOTH                                                                                                  \
    (TRACE_SEND | TRACE_RECEIVE | TRACE_SILENT | TRACE_SCHEDULER_ID | TRACE_TIMESTAMP | TRACE_MONOTONIC_TIMESTAMP |    \
     TRACE_STRICT_MONOTONIC_TIMESTAMP)

/* New ones get what is for their kind; those that exist get all, but nothing where none of it is for them. */
static uint32_t flags_for(TracedKind kind, uint32_t flags) {
    return flags & (kind == TRACED_PORTS ? FLAGS_OF_PORTS | FLAGS_OF_BOTH : ~(uint32_t)FLAGS_OF_PORTS);
}

static size_t count_of(TracedKind kind) { return kind == TRACED_PORTS ? port_table_count() : process_table_count(); }

/* How many there are to take it up. */
static size_t order_kind(TraceSession *s, const Who *who, TracedKind kind, const TraceOrder *order) {
    TraceOrder fresh = *order;
    fresh.flags = flags_for(kind, order->flags);
    if (!who->kind[kind] || fresh.flags == 0)
        return 0;
    if (who->fresh)
        trace_fresh(s, kind, &fresh);
    if (who->existing)
        trace_everybody(s, kind, order);
    return who->existing ? count_of(kind) : 0;
}

/* To tell the first kind may be long work, and the session be over after it: it is counted. */
static Term give_order(Process *p, TraceSession *s, const Who *who, const TraceOrder *order) {
    size_t count = 0;
    trace_session_keep(s);
    for (unsigned kind = 0; kind < TRACED_KINDS; kind++)
        count += order_kind(s, who, (TracedKind)kind, order);
    trace_session_release(s);
    return count == 0 ? small_make(0) : request_wait_for_progress(p, small_make((SWord)count));
}

/* The processor's time can only be asked for on behalf of all. */
static Term trace_of(Process *p, TraceSession *s, Term t, Term how, const TraceOrder *order, bool cpu_time) {
    const Who *who = who_is(t);
    if ((who == NULL && !is_one(t)) || (how != am_true && how != am_false) || (cpu_time && t != am_all))
        return fail_badarg(p);
    if (cpu_time)
        atomic_store_explicit(&stamps_are_cpu_time, order->on, memory_order_relaxed);
    atomic_store_explicit(&trace_is_in_use, true, memory_order_relaxed);
    return who == NULL ? one(p, s, t, order) : give_order(p, s, who, order);
}

/* `handle` of a session; NON_VALUE: the default one. */
static Term trace(Process *p, Term handle, const Term *a) {
    Term answer;
    TraceSession *s = is_value(handle) ? trace_session_of(handle) : &trace_default_session;
    if (request_goes_on(p, &answer))
        return answer == am_true ? small_make(1) : answer == am_false ? refused(p, s) : answer;
    if (s == NULL)
        return trace_session_badarg(p);
    bool cpu_time = false;
    TraceOrder order = {.on = a[1] == am_true, .tracer = TRACER_UNNAMED};
    answer = read_flags(p, s, a[2], &order, &cpu_time) ? trace_of(p, s, a[0], a[1], &order, cpu_time)
                                                       : fail_badarg_cause(p, am_badopt);
    tracer_drop(order.tracer);
    return answer;
}

Term erts_internal_trace_3(Process *p, const Term *a) { return trace(p, NON_VALUE, a); }
Term erts_internal_trace_4(Process *p, const Term *a) { return trace(p, a[0], a + 1); }

typedef struct {
    CallSignal call;
    Term asker;
    KeptMessage message;
} DeliveredSignal;

/* All that the process has caused so far is in its tracer's queue. */
static void tell_delivered(Process *p, CallSignal *call) {
    DeliveredSignal *s = container_of(call, DeliveredSignal, call);
    kept_message_send(&s->message, s->asker);
    mem_free(ALLOC_SIGNAL, s);
}

typedef struct {
    ProgressNode progress; /* must be first */
    Term asker;
    KeptMessage message;
} DeliveredLater;

static void tell_later(ProgressNode *node) {
    DeliveredLater *d = (DeliveredLater *)node;
    thread_progress_enter(); /* the thread may be going to sleep */
    kept_message_send(&d->message, d->asker);
    thread_progress_leave();
    mem_free(ALLOC_SIGNAL, d);
}

Term erlang_trace_delivered_1(Process *p, const Term *a) {
    if (a[0] != am_all && !is_local_pid(a[0]))
        return fail_badarg(p);
    Term reference = reference_new(process_area(p));
    Term tuple = area_tuple3(process_area(p), am_trace_delivered, a[0], reference);
    KeptMessage m = kept_message_make(tuple, NON_VALUE, TOKEN_OF_RUNTIME);
    if (a[0] == am_all) {
        DeliveredLater *d = mem_alloc(ALLOC_SIGNAL, sizeof *d);
        *d = (DeliveredLater){.progress.run = tell_later, .asker = p->pid, .message = m};
        thread_progress_later(&d->progress);
        return reference;
    }
    DeliveredSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    *s = (DeliveredSignal){.asker = p->pid, .message = m};
    signal_init(&s->call.signal, SIGNAL_CALL)->detail = CALL_LEAVES_MESSAGES;
    s->call.handle = tell_delivered;
    if (!signal_ask(p, a[0], &s->call.signal))
        tell_delivered(NULL, &s->call);
    return reference;
}
