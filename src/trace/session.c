#include "trace/session.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/actor.h"
#include "process/request.h"
#include "sys/release.h"
#include "term/atom.h"
#include "trace/meter.h"
#include "trace/settle.h"

_Atomic uint32_t trace_control_word;

ProcessTrace *trace_find(const Process *p, const TraceSession *session) {
    ProcessTrace *t = p->trace;
    while (t != NULL && t->session != session)
        t = t->next;
    return t;
}

uint32_t trace_flags_set(const Process *p) {
    uint32_t flags = 0;
    for (const ProcessTrace *t = p->trace; t != NULL; t = t->next)
        flags |= t->flags;
    return flags;
}

/* Nothing that a sensitive process does is told; its settings stay. */
void trace_flags_renew(Process *p) { p->trace_flags = process_is_sensitive(p) ? 0 : trace_flags_set(p); }

void trace_drop(Process *p, ProcessTrace *trace) {
    ProcessTrace **link = &p->trace;
    while (*link != trace)
        link = &(*link)->next;
    *link = trace->next;
    tracer_drop(trace->tracer);
    trace_session_release(trace->session);
    mem_free(ALLOC_TRACE, trace);
    trace_flags_renew(p);
}

static ProcessTrace *trace_add(Process *p, TraceSession *session) {
    ProcessTrace *t = mem_calloc(ALLOC_TRACE, sizeof *t);
    trace_session_keep(session);
    *t = (ProcessTrace){.next = p->trace, .session = session, .tracer = TRACER_NOBODY};
    p->trace = t;
    return t;
}

/* Does another tracer trace p that still lives? */
static bool is_taken(const Process *p, const ProcessTrace *t, const TraceOrder *order) {
    if (t == NULL || t->flags == 0 || order->replaces || !tracer_is_named(order->tracer) ||
        (!order->on && release_has(RELEASE_CLEARED_BY_ANYBODY)))
        return false;
    return !tracer_is_same(t->tracer, order->tracer) && tracer_is_alive(t->tracer.term, p->pid);
}

static bool is_new_tracer(const ProcessTrace *t, Tracer tracer) {
    return t == NULL || !tracer_is_same(t->tracer, tracer);
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
        trace_flags_renew(p);
    else
        trace_drop(p, t);
}

ProcessTrace *trace_find_live(Process *p, const TraceSession *session) {
    ProcessTrace *t = trace_find(p, session);
    if (t == NULL)
        return NULL;
    if (!trace_session_is_over(session) && (is_nil(t->tracer.term) || tracer_is_alive(t->tracer.term, p->pid)))
        return t;
    trace_stop(p, t);
    return NULL;
}

static void change_flags(Process *p, TraceSession *session, const TraceOrder *order) {
    ProcessTrace *t = trace_find(p, session);
    if (t == NULL && (!order->on || (order->flags == 0 && !order->hands_on)))
        return;
    if (t == NULL)
        t = trace_add(p, session);
    if (order->on) {
        t->flags |= order->flags;
        if (tracer_is_named(order->tracer))
            set_tracer(t, order->tracer);
    } else {
        t->flags &= ~order->flags;
        if (tracer_is_named(order->tracer) && release_has(RELEASE_CLEARED_BY_ANYBODY))
            set_tracer(t, order->tracer);
    }
    if (t->flags == 0 && !order->hands_on)
        trace_stop(p, t);
    else
        trace_flags_renew(p);
}

/* As on the stock runtime nobody is asked whether it is there: flags for one that is not go when they are met. */
bool trace_apply(Process *p, TraceSession *session, const TraceOrder *order) {
    const ProcessTrace *t = trace_find(p, session);
    if (trace_session_is_over(session) || is_taken(p, t, order))
        return false;
    if (!order->on || !is_new_tracer(t, order->tracer) || !is_nil(order->tracer.term))
        change_flags(p, session, order);
    return true;
}

typedef struct {
    CallSignal call;
    TraceSession *session;
    TraceOrder order;
    Term asker; /* NON_VALUE: nobody waits for an answer */
    uint64_t id;
    uint64_t epoch; /* it is older than what is told to all in later ones */
} OrderSignal;

static TracedKind kind_of(const Process *p) { return p->body == NULL ? TRACED_PROCESSES : TRACED_PORTS; }

/* Those that are newer than `seen`, but not than `until`: such have been added since. */
static void take_orders(Process *p, TraceSession *s, uint64_t seen, uint64_t until) {
    const TraceOrders *o = orders_now(&s->orders[kind_of(p)]);
    if (!orders_have_newer(o, seen))
        return;
    for (size_t i = 0; i < o->count; i++)
        if (o->log[i].epoch > seen && o->log[i].epoch <= until)
            trace_apply(p, s, &o->log[i].order);
}

/* A process that is ending is as good as one that ends just after. Its end is told, unless that has begun. A port that
 * is closing, and writes what it had to, is gone for whoever traces. */
static bool obey(Process *p, const OrderSignal *s) {
    if (p->exit_state != NULL)
        return true;
    if ((p->body != NULL && actor_is_ending(p)) || !trace_apply(p, s->session, &s->order))
        return false;
    uint64_t seen = trace_epoch_seen(p);
    if (s->epoch < seen)
        take_orders(p, s->session, s->epoch, seen);
    return true;
}

static void take_order(Process *p, CallSignal *call) {
    OrderSignal *s = container_of(call, OrderSignal, call);
    race_window("a trace order has come");
    bool done = obey(p, s);
    if (s->epoch != UINT64_MAX)
        trace_settle_again();
    if (is_value(s->asker))
        request_reply(s->asker, s->id, bool_term(done));
    tracer_drop(s->order.tracer);
    trace_session_release(s->session);
    mem_free(ALLOC_SIGNAL, s);
}

/* `asker`: who waits, or NULL. */
static bool send_order(const Process *asker, Term pid, const OrderSignal *order) {
    OrderSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    *s = *order;
    signal_init(&s->call.signal, SIGNAL_TRACE);
    s->call.handle = take_order;
    tracer_keep(s->order.tracer);
    trace_session_keep(s->session);
    if (asker != NULL ? signal_ask(asker, pid, &s->call.signal) : signal_send(pid, &s->call.signal))
        return true;
    trace_session_release(s->session);
    tracer_drop(s->order.tracer);
    mem_free(ALLOC_SIGNAL, s);
    return false;
}

bool trace_process(const Process *p, Term pid, TraceSession *session, const TraceOrder *order, uint64_t id) {
    OrderSignal s = {.session = session, .order = *order, .asker = p->pid, .id = id, .epoch = UINT64_MAX};
    return send_order(p, pid, &s);
}

bool trace_follow(const Process *from, Term pid, TraceSession *session, const TraceOrder *order) {
    OrderSignal s = {.session = session, .order = *order, .asker = NON_VALUE, .epoch = trace_epoch_seen(from)};
    trace_settle_put_off();
    bool is_there = send_order(NULL, pid, &s); /* who is gone needs no flags */
    if (!is_there)
        trace_settle_again();
    return is_there;
}

void trace_everybody(TraceSession *s, TracedKind kind, const TraceOrder *order) {
    mutex_lock(&trace_sessions_lock);
    if (!trace_session_is_over(s)) {
        uint64_t epoch = atomic_load(&the_trace_epoch) + 1;
        orders_add(&s->orders[kind], order, epoch);
        atomic_store(&the_trace_epoch, epoch);
    }
    bool many = orders_are_many(orders_now(&s->orders[kind]));
    mutex_unlock(&trace_sessions_lock);
    if (many)
        trace_settle(s, kind);
}

/* As stock has it, to clear any flag clears them all; but who names a tracer gives it those that he does not clear. */
static uint32_t fresh_after(const TraceOrder *order, uint32_t flags) {
    if (order->on)
        return flags | order->flags;
    return tracer_is_named(order->tracer) ? flags & ~order->flags : 0;
}

void trace_fresh(TraceSession *s, TracedKind kind, const TraceOrder *order) {
    if (order->on && !tracer_is_alive(order->tracer.term, am_undefined))
        return;
    mutex_lock(&trace_sessions_lock);
    uint32_t flags = fresh_after(order, orders_fresh_flags(orders_now(&s->orders[kind])));
    if (!trace_session_is_over(s))
        orders_set_fresh(&s->orders[kind], flags, order->tracer);
    mutex_unlock(&trace_sessions_lock);
}

void trace_settings_end(TraceSession *s) {
    for (unsigned kind = 0; kind < TRACED_KINDS; kind++)
        orders_clear(&s->orders[kind]);
    atomic_fetch_add(&the_trace_epoch, 1);
}

TraceOrder trace_fresh_now(const TraceSession *s, TracedKind kind) {
    const TraceOrders *o = orders_now(&s->orders[kind]);
    TraceOrder fresh = {.on = true, .flags = orders_fresh_flags(o), .tracer = TRACER_NOBODY};
    if (fresh.flags != 0)
        fresh.tracer = o->fresh_tracer;
    if (is_tracer_place(fresh.tracer.term) && !tracer_is_alive(fresh.tracer.term, am_undefined))
        fresh = (TraceOrder){.on = true, .tracer = TRACER_NOBODY};
    return fresh;
}

static void drop_ended(Process *p) {
    for (ProcessTrace *t = p->trace, *next; t != NULL; t = next) {
        next = t->next;
        if (trace_session_is_over(t->session))
            trace_drop(p, t);
    }
}

static void catch_up(Process *p) {
    uint64_t until = atomic_load(&the_trace_epoch), seen = trace_epoch_seen(p);
    race_window("a process catches up with orders to all");
    bool is_traced = p->body == NULL || !p->body->is_hidden;
    for (TraceSession *s = is_traced ? trace_sessions_first() : NULL; s != NULL; s = trace_sessions_next(s))
        take_orders(p, s, seen, until);
    atomic_store_explicit(&p->trace_epoch, until, memory_order_release);
    drop_ended(p);
}

/* Are flags of `t` to be handed on? What counts once, *once, goes with that. */
static bool hands_on(const ProcessTrace *t, uint32_t always, uint32_t first, uint32_t *once) {
    *once = t->flags & first ? always | first : 0;
    return (t->flags & (always | first)) && !trace_session_is_over(t->session);
}

/* As on the stock runtime: the child gets the flags of its parent, and its tracer, whatever `new` says (before
 * RELEASE_PARENTS_FLAGS_ONLY in addition to that); what counts once goes from both; and who has no flag left keeps the
 * tracer. */
static void inherit(ProcessTrace *t, Process *child, uint32_t always, uint32_t first) {
    uint32_t once;
    if (!hands_on(t, always, first, &once))
        return;
    ProcessTrace *c = trace_find(child, t->session);
    if (c == NULL)
        c = trace_add(child, t->session);
    t->flags &= ~once;
    c->flags = ((release_has(RELEASE_PARENTS_FLAGS_ONLY) ? 0 : c->flags) | t->flags) & ~once;
    set_tracer(c, t->tracer);
    trace_flags_renew(child);
}

/* The same for one that exists; it keeps the flags that it has. Nothing changes when it is no more. */
static void linked(Process *p, Term pid) {
    uint32_t once;
    for (ProcessTrace *t = p->trace; t != NULL; t = t->next) {
        if ((t->session == &trace_default_session && !release_has(RELEASE_LINKS_HAND_ON)) ||
            !hands_on(t, TRACE_SET_ON_LINK, TRACE_SET_ON_FIRST_LINK, &once))
            continue;
        TraceOrder order = {.on = true, .replaces = true, .hands_on = true};
        order.flags = t->flags & ~once;
        order.tracer = t->tracer;
        if (trace_follow(p, pid, t->session, &order))
            t->flags &= ~once;
    }
    trace_flags_renew(p);
}

static void take_fresh(Process *child) {
    for (TraceSession *s = trace_sessions_first(); s != NULL; s = trace_sessions_next(s)) {
        TraceOrder order = trace_fresh_now(s, kind_of(child));
        if (order.flags != 0)
            trace_apply(child, s, &order);
    }
}

static void spawned(Process *parent, Process *child, bool linked) {
    if (atomic_load_explicit(&trace_fresh_sessions, memory_order_relaxed) != 0)
        take_fresh(child);
    bool hides = parent != NULL && process_is_sensitive(parent) && release_has(RELEASE_SENSITIVE_UNTRACED);
    for (ProcessTrace *t = parent != NULL && !hides ? parent->trace : NULL; t != NULL; t = t->next) {
        inherit(t, child, TRACE_SET_ON_SPAWN, TRACE_SET_ON_FIRST_SPAWN);
        if (linked)
            inherit(t, child, TRACE_SET_ON_LINK, TRACE_SET_ON_FIRST_LINK);
        trace_flags_renew(parent);
    }
}

static void release(Process *p) {
    while (p->trace != NULL)
        trace_drop(p, p->trace);
}

void trace_sessions_init(void) {
    trace_points.catch_up = catch_up;
    trace_points.spawned = spawned;
    trace_points.linked = linked;
    trace_points.release = release;
}
