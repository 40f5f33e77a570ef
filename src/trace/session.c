#include "trace/session.h"

#include "alloc/alloc.h"
#include "process/request.h"
#include "term/atom.h"
#include "trace/meter.h"

TraceSession trace_default_session = {.fresh_tracer = {NIL}, .on_load.meta_tracer = {NIL}};
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
    tracer_drop(trace->tracer);
    mem_free(ALLOC_TRACE, trace);
    sum_flags(p);
}

static ProcessTrace *trace_add(Process *p, TraceSession *session) {
    ProcessTrace *t = mem_calloc(ALLOC_TRACE, sizeof *t);
    *t = (ProcessTrace){.next = p->trace, .session = session, .tracer = TRACER_NOBODY};
    p->trace = t;
    return t;
}

/* Has p another tracer that still lives? */
static bool is_taken(const Process *p, const ProcessTrace *t, const TraceOrder *order) {
    return t != NULL && tracer_is_named(order->tracer) && !tracer_is_same(t->tracer, order->tracer) &&
           tracer_is_alive(t->tracer.term, p->pid);
}

static bool is_new_tracer(const ProcessTrace *t, Tracer tracer) {
    return is_tracer_module(tracer.term) && (t == NULL || !tracer_is_same(t->tracer, tracer));
}

static void set_tracer(ProcessTrace *t, Tracer tracer) {
    if (t->tracer.term == tracer.term)
        return;
    tracer_drop(t->tracer);
    t->tracer = tracer_keep(tracer);
}

void trace_stop(Process *p, ProcessTrace *t) {
    t->flags = 0;
    set_tracer(t, TRACER_NOBODY);
    if (meter_runs(t))
        sum_flags(p);
    else
        trace_drop(p, t);
}

static void change_flags(Process *p, TraceSession *session, const TraceOrder *order) {
    ProcessTrace *t = trace_find(p, session);
    if (t == NULL && (!order->on || order->flags == 0))
        return;
    if (t == NULL)
        t = trace_add(p, session);
    if (order->on) {
        t->flags |= order->flags;
        set_tracer(t, order->tracer);
    } else {
        t->flags &= ~order->flags;
    }
    if (t->flags == 0)
        trace_stop(p, t);
    else
        sum_flags(p);
}

bool trace_apply(Process *p, TraceSession *session, const TraceOrder *order) {
    const ProcessTrace *t = trace_find(p, session);
    if (is_taken(p, t, order))
        return false;
    if (!order->on || !is_new_tracer(t, order->tracer) || tracer_is_alive(order->tracer.term, p->pid))
        change_flags(p, session, order);
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
    tracer_drop(s->order.tracer);
    mem_free(ALLOC_SIGNAL, s);
}

bool trace_process(Term pid, TraceSession *session, const TraceOrder *order, Term asker, uint64_t id) {
    OrderSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    *s = (OrderSignal){.session = session, .order = *order, .asker = asker, .id = id};
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take_order;
    tracer_keep(order->tracer);
    if (signal_send(pid, &s->call.signal))
        return true;
    tracer_drop(order->tracer);
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
        while (s->log_count > 0)
            tracer_drop(s->log[--s->log_count].order.tracer);
    if (s->log_count == s->log_capacity) {
        s->log_capacity = s->log_capacity == 0 ? 8 : 2 * s->log_capacity;
        s->log = mem_realloc(ALLOC_TRACE, s->log, s->log_capacity * sizeof s->log[0]);
    }
    tracer_keep(order->tracer);
    s->log[s->log_count++] = (LoggedOrder){epoch, *order};
}

void trace_everybody(TraceSession *s, const TraceOrder *order) {
    mutex_lock(&s->lock);
    log_add(s, order, atomic_load(&the_trace_epoch) + 1);
    atomic_fetch_add(&the_trace_epoch, 1);
    mutex_unlock(&s->lock);
}

static void set_fresh_tracer(TraceSession *s, Tracer tracer) {
    tracer_drop(s->fresh_tracer);
    s->fresh_tracer = tracer_keep(tracer);
}

void trace_fresh(TraceSession *s, const TraceOrder *order) {
    if (order->on && is_tracer_module(order->tracer.term) && !tracer_is_alive(order->tracer.term, am_undefined))
        return;
    mutex_lock(&s->lock);
    if (order->on) {
        s->fresh_flags |= order->flags;
        set_fresh_tracer(s, order->tracer);
    } else {
        s->fresh_flags &= ~order->flags;
    }
    if (s->fresh_flags == 0)
        set_fresh_tracer(s, TRACER_NOBODY);
    mutex_unlock(&s->lock);
}

void trace_fresh_now(TraceSession *s, uint32_t *flags, Tracer *tracer) {
    mutex_lock(&s->lock);
    *flags = s->fresh_flags;
    *tracer = tracer_keep(s->fresh_tracer);
    mutex_unlock(&s->lock);
}

/* The oldest order that is newer than *seen, with a count of its tracer: it is applied without the lock, since that may
 * call a tracer. False: there is none. */
static bool next_order(TraceSession *s, uint64_t *seen, TraceOrder *order) {
    bool found = false;
    mutex_lock(&s->lock);
    for (size_t i = 0; i < s->log_count && !found; i++)
        if (s->log[i].epoch > *seen) {
            *seen = s->log[i].epoch;
            *order = s->log[i].order;
            tracer_keep(order->tracer);
            found = true;
        }
    mutex_unlock(&s->lock);
    return found;
}

static void catch_up(Process *p) {
    uint64_t until = atomic_load(&the_trace_epoch), seen = p->trace_epoch;
    TraceOrder order;
    p->trace_epoch = until;
    while (next_order(&trace_default_session, &seen, &order)) {
        if (seen <= until)
            trace_apply(p, &trace_default_session, &order);
        tracer_drop(order.tracer);
    }
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
    if (flags != 0 && !is_taken(child, trace_find(child, t->session), &order))
        change_flags(child, t->session, &order);
}

static void take_fresh(Process *child, TraceSession *s) {
    child->trace_epoch = atomic_load(&the_trace_epoch);
    if (atomic_load_explicit(&s->fresh_flags, memory_order_relaxed) == 0)
        return;
    TraceOrder order = {.on = true};
    trace_fresh_now(s, &order.flags, &order.tracer);
    trace_apply(child, s, &order);
    tracer_drop(order.tracer);
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
