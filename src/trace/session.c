#include "trace/session.h"

#include "alloc/alloc.h"
#include "process/request.h"
#include "term/atom.h"
#include "trace/meter.h"

TraceSession trace_default_session = {.fresh_tracer = NIL};
_Atomic uint32_t trace_control_word;

ProcessTrace *trace_find(const Process *p, const TraceSession *session) {
    ProcessTrace *t = p->trace;
    while (t != NULL && t->session != session)
        t = t->next;
    return t;
}

static void sum_flags(Process *p) {
    p->trace_flags = 0;
    for (const ProcessTrace *t = p->trace; t != NULL; t = t->next)
        p->trace_flags |= t->flags;
}

void trace_drop(Process *p, ProcessTrace *trace) {
    ProcessTrace **link = &p->trace;
    while (*link != trace)
        link = &(*link)->next;
    *link = trace->next;
    mem_free(ALLOC_TRACE, trace);
    sum_flags(p);
}

static bool is_alive(Term tracer) { return is_local_pid(tracer) && process_find(tracer) != NULL; }

static ProcessTrace *trace_add(Process *p, TraceSession *session) {
    ProcessTrace *t = mem_calloc(ALLOC_TRACE, sizeof *t);
    *t = (ProcessTrace){.next = p->trace, .session = session, .tracer = NIL};
    p->trace = t;
    return t;
}

bool trace_apply(Process *p, TraceSession *session, const TraceOrder *order) {
    ProcessTrace *t = trace_find(p, session);
    if (t != NULL && is_value(order->tracer) && t->tracer != order->tracer && is_alive(t->tracer))
        return false;
    if (t == NULL && (!order->on || order->flags == 0))
        return true;
    if (t == NULL)
        t = trace_add(p, session);
    if (order->on) {
        t->flags |= order->flags;
        t->tracer = order->tracer;
    } else {
        t->flags &= ~order->flags;
    }
    if (t->flags == 0 && !meter_runs(t)) {
        trace_drop(p, t);
        return true;
    }
    if (t->flags == 0)
        t->tracer = NIL;
    sum_flags(p);
    return true;
}

typedef struct {
    CallSignal call;
    TraceSession *session;
    TraceOrder order;
    Term asker; /* NON_VALUE: nobody waits for an answer */
    uint64_t id;
} OrderSignal;

static void take_order(Process *p, CallSignal *call) {
    OrderSignal *s = container_of(call, OrderSignal, call);
    bool done = !process_is_exiting(p) && trace_apply(p, s->session, &s->order);
    if (is_value(s->asker))
        request_reply(s->asker, s->id, bool_term(done));
    mem_free(ALLOC_SIGNAL, s);
}

bool trace_process(Term pid, TraceSession *session, const TraceOrder *order, Term asker, uint64_t id) {
    OrderSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    *s = (OrderSignal){.session = session, .order = *order, .asker = asker, .id = id};
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take_order;
    if (signal_send(pid, &s->call.signal))
        return true;
    mem_free(ALLOC_SIGNAL, s);
    return false;
}

void trace_follow(Term pid, TraceSession *session, const TraceOrder *order) {
    bool sent = trace_process(pid, session, order, NON_VALUE, 0);
    (void)sent; /* who is gone needs no flags */
}

/* Void: every flag of the log is cleared. Then a process may skip what came before. */
static void log_add(TraceSession *s, const TraceOrder *order, uint64_t epoch) {
    if (!order->on && order->flags == UINT32_MAX)
        s->log_count = 0;
    if (s->log_count == s->log_capacity) {
        s->log_capacity = s->log_capacity == 0 ? 8 : 2 * s->log_capacity;
        s->log = mem_realloc(ALLOC_TRACE, s->log, s->log_capacity * sizeof s->log[0]);
    }
    s->log[s->log_count++] = (LoggedOrder){epoch, *order};
}

void trace_everybody(TraceSession *s, const TraceOrder *order) {
    mutex_lock(&s->lock);
    log_add(s, order, atomic_load(&the_trace_epoch) + 1);
    atomic_fetch_add(&the_trace_epoch, 1);
    mutex_unlock(&s->lock);
}

void trace_fresh(TraceSession *s, const TraceOrder *order) {
    mutex_lock(&s->lock);
    if (order->on) {
        s->fresh_flags |= order->flags;
        s->fresh_tracer = order->tracer;
    } else {
        s->fresh_flags &= ~order->flags;
    }
    if (s->fresh_flags == 0)
        s->fresh_tracer = NIL;
    mutex_unlock(&s->lock);
}

void trace_fresh_now(TraceSession *s, uint32_t *flags, Term *tracer) {
    mutex_lock(&s->lock);
    *flags = s->fresh_flags;
    *tracer = s->fresh_tracer;
    mutex_unlock(&s->lock);
}

static void catch_up(Process *p) {
    TraceSession *s = &trace_default_session;
    mutex_lock(&s->lock);
    for (size_t i = 0; i < s->log_count; i++)
        if (s->log[i].epoch > p->trace_epoch)
            trace_apply(p, s, &s->log[i].order);
    p->trace_epoch = atomic_load(&the_trace_epoch);
    mutex_unlock(&s->lock);
}

/* What a process's flags say of those that it spawns, or links to: they get the flags; `first` ones count once. */
uint32_t trace_hand_on(ProcessTrace *t, uint32_t always, uint32_t first) {
    if (t->flags & first)
        t->flags &= ~(always | first);
    else if (!(t->flags & always))
        return 0;
    return t->flags;
}

static void inherit(ProcessTrace *t, Process *child, uint32_t flags) {
    TraceOrder order = {true, flags, t->tracer};
    if (flags != 0)
        trace_apply(child, t->session, &order);
}

static void take_fresh(Process *child, TraceSession *s) {
    child->trace_epoch = atomic_load(&the_trace_epoch);
    if (atomic_load_explicit(&s->fresh_flags, memory_order_relaxed) == 0)
        return;
    mutex_lock(&s->lock);
    TraceOrder order = {true, s->fresh_flags, s->fresh_tracer};
    trace_apply(child, s, &order);
    mutex_unlock(&s->lock);
}

static void spawned(Process *parent, Process *child, bool linked) {
    take_fresh(child, &trace_default_session);
    for (ProcessTrace *t = parent != NULL ? parent->trace : NULL; t != NULL; t = t->next) {
        inherit(t, child, trace_hand_on(t, TRACE_SET_ON_SPAWN, TRACE_SET_ON_FIRST_SPAWN));
        if (linked)
            inherit(t, child, trace_hand_on(t, TRACE_SET_ON_LINK, TRACE_SET_ON_FIRST_LINK));
        sum_flags(parent);
    }
}

static void release(Process *p) {
    while (p->trace != NULL)
        trace_drop(p, p->trace);
}

void trace_sessions_init(void) {
    mutex_init(&trace_default_session.lock, LOCK_TRACE_SESSION);
    trace_points.catch_up = catch_up;
    trace_points.spawned = spawned;
    trace_points.release = release;
}
