#include "trace/session.h"

#include "alloc/alloc.h"
#include "process/request.h"
#include "term/atom.h"
#include "trace/meter.h"
#include "trace/session_table.h"

TraceSession trace_default_session = {
    .number = -1, .tracer = {NON_VALUE}, .fresh_tracer = {NIL}, .on_load.meta_tracer = {NIL}};
Mutex trace_sessions_lock = MUTEX_INITIALIZER(LOCK_TRACE_SESSION);
_Atomic uint32_t trace_control_word;

ProcessTrace *trace_find(const Process *p, const TraceSession *session) {
    ProcessTrace *t = p->trace;
    while (t != NULL && t->session != session)
        t = t->next;
    return t;
}

/* Nothing that a sensitive process does is told; its settings stay. */
void trace_flags_renew(Process *p) {
    p->trace_flags = 0;
    for (const ProcessTrace *t = p->flags & FLAG_SENSITIVE ? NULL : p->trace; t != NULL; t = t->next)
        p->trace_flags |= t->flags;
}

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

/* Has p another tracer that still lives? */
static bool is_taken(const Process *p, const ProcessTrace *t, const TraceOrder *order) {
    if (t == NULL || order->replaces || !tracer_is_named(order->tracer))
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
    if (t == NULL || t->flags == 0)
        return NULL;
    if (!trace_session_is_over(session) && tracer_is_alive(t->tracer.term, p->pid))
        return t;
    trace_stop(p, t);
    return NULL;
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
        trace_flags_renew(p);
}

bool trace_apply(Process *p, TraceSession *session, const TraceOrder *order) {
    const ProcessTrace *t = trace_find(p, session);
    if (trace_session_is_over(session) || is_taken(p, t, order))
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
    uint64_t epoch; /* it is older than what is told to all in later ones */
} OrderSignal;

static void take_orders(Process *p, TraceSession *s, uint64_t seen, uint64_t until);

static void take_order(Process *p, CallSignal *call) {
    OrderSignal *s = container_of(call, OrderSignal, call);
    bool done = !process_is_exiting(p) && trace_apply(p, s->session, &s->order);
    if (done && s->epoch < p->trace_epoch)
        take_orders(p, s->session, s->epoch, p->trace_epoch);
    if (is_value(s->asker))
        request_reply(s->asker, s->id, bool_term(done));
    tracer_drop(s->order.tracer);
    trace_session_release(s->session);
    mem_free(ALLOC_SIGNAL, s);
}

static bool send_order(Term pid, const OrderSignal *order) {
    OrderSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    *s = *order;
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take_order;
    tracer_keep(s->order.tracer);
    trace_session_keep(s->session);
    if (signal_send(pid, &s->call.signal))
        return true;
    trace_session_release(s->session);
    tracer_drop(s->order.tracer);
    mem_free(ALLOC_SIGNAL, s);
    return false;
}

bool trace_process(Term pid, TraceSession *session, const TraceOrder *order, Term asker, uint64_t id) {
    OrderSignal s = {.session = session, .order = *order, .asker = asker, .id = id, .epoch = UINT64_MAX};
    return send_order(pid, &s);
}

void trace_follow(const Process *from, Term pid, TraceSession *session, const TraceOrder *order) {
    OrderSignal s = {.session = session, .order = *order, .asker = NON_VALUE, .epoch = from->trace_epoch};
    bool sent = send_order(pid, &s);
    (void)sent; /* who is gone needs no flags */
}

/* Does a newer order decide alone about the flags that both name? One may be refused where another has the tracer. */
static bool overrides(const TraceOrder *newer, const TraceOrder *order) {
    bool clears = !newer->on && !tracer_is_named(newer->tracer);
    return clears || (newer->on == order->on && newer->tracer.term == order->tracer.term);
}

/* A process that has not seen it takes the newest that is said of a flag. So the log does not grow for ever. */
static void log_trim(TraceSession *s, const TraceOrder *newer) {
    size_t kept = 0;
    for (size_t i = 0; i < s->log_count; i++) {
        LoggedOrder l = s->log[i];
        if (overrides(newer, &l.order))
            l.order.flags &= ~newer->flags;
        if (l.order.flags != 0)
            s->log[kept++] = l;
        else
            tracer_drop(l.order.tracer);
    }
    s->log_count = kept;
}

static void log_add(TraceSession *s, const TraceOrder *order, uint64_t epoch) {
    log_trim(s, order);
    if (s->log_count == s->log_capacity) {
        s->log_capacity = s->log_capacity == 0 ? 8 : 2 * s->log_capacity;
        s->log = mem_realloc(ALLOC_TRACE, s->log, s->log_capacity * sizeof s->log[0]);
    }
    tracer_keep(order->tracer);
    s->log[s->log_count++] = (LoggedOrder){epoch, *order};
}

void trace_everybody(TraceSession *s, const TraceOrder *order) {
    mutex_lock(&trace_sessions_lock);
    if (!trace_session_is_over(s)) {
        uint64_t epoch = atomic_load(&the_trace_epoch) + 1;
        log_add(s, order, epoch);
        atomic_store_explicit(&s->newest_order, epoch, memory_order_relaxed);
        atomic_store(&the_trace_epoch, epoch);
    }
    mutex_unlock(&trace_sessions_lock);
}

static void set_fresh_tracer(TraceSession *s, Tracer tracer) {
    tracer_drop(s->fresh_tracer);
    s->fresh_tracer = tracer_keep(tracer);
}

static void set_fresh(TraceSession *s, uint32_t flags, Tracer tracer) {
    if ((s->fresh_flags != 0) != (flags != 0))
        atomic_fetch_add(&trace_fresh_sessions, flags != 0 ? 1 : (size_t)-1);
    atomic_store_explicit(&s->fresh_flags, flags, memory_order_relaxed);
    set_fresh_tracer(s, flags != 0 ? tracer : TRACER_NOBODY);
}

/* As stock has it, to clear any flag clears them all. */
void trace_fresh(TraceSession *s, const TraceOrder *order) {
    if (order->on && !tracer_is_alive(order->tracer.term, am_undefined))
        return;
    mutex_lock(&trace_sessions_lock);
    if (!trace_session_is_over(s))
        set_fresh(s, order->on ? s->fresh_flags | order->flags : 0, order->tracer);
    mutex_unlock(&trace_sessions_lock);
}

void trace_settings_end(TraceSession *s) {
    set_fresh(s, 0, TRACER_NOBODY);
    while (s->log_count > 0)
        tracer_drop(s->log[--s->log_count].order.tracer);
    mem_free(ALLOC_TRACE, s->log);
    s->log = NULL;
    s->log_capacity = 0;
    atomic_fetch_add(&the_trace_epoch, 1);
}

void trace_fresh_now(TraceSession *s, uint32_t *flags, Tracer *tracer) {
    mutex_lock(&trace_sessions_lock);
    *flags = s->fresh_flags;
    *tracer = tracer_keep(s->fresh_tracer);
    mutex_unlock(&trace_sessions_lock);
    if (!is_local_pid(tracer->term) || tracer_is_alive(tracer->term, am_undefined))
        return;
    *flags = 0;
    *tracer = TRACER_NOBODY;
}

/* The oldest order that is newer than *seen, with a count of its tracer: it is applied without the lock, since that may
 * call a tracer. False: there is none. */
static bool next_order(TraceSession *s, uint64_t *seen, TraceOrder *order) {
    bool found = false;
    mutex_lock(&trace_sessions_lock);
    for (size_t i = 0; i < s->log_count && !found; i++)
        if (s->log[i].epoch > *seen) {
            *seen = s->log[i].epoch;
            *order = s->log[i].order;
            tracer_keep(order->tracer);
            found = true;
        }
    mutex_unlock(&trace_sessions_lock);
    return found;
}

static void take_orders(Process *p, TraceSession *s, uint64_t seen, uint64_t until) {
    TraceOrder order;
    while (next_order(s, &seen, &order)) {
        if (seen <= until)
            trace_apply(p, s, &order);
        tracer_drop(order.tracer);
    }
}

static void drop_ended(Process *p) {
    for (ProcessTrace *t = p->trace, *next; t != NULL; t = next) {
        next = t->next;
        if (trace_session_is_over(t->session))
            trace_drop(p, t);
    }
}

static void catch_up(Process *p) {
    uint64_t until = atomic_load(&the_trace_epoch), seen = p->trace_epoch;
    p->trace_epoch = until;
    for (TraceSession *s = trace_sessions_first(); s != NULL; s = trace_sessions_next(s))
        if (atomic_load_explicit(&s->newest_order, memory_order_relaxed) > seen)
            take_orders(p, s, seen, until);
    drop_ended(p);
}

/* What a process's flags say of those that it spawns, or links to: they get the flags; `first` ones count once. */
uint32_t trace_hand_on(ProcessTrace *t, uint32_t always, uint32_t first) {
    if (t->flags & first)
        t->flags &= ~(always | first);
    else if (!(t->flags & always))
        return 0;
    return t->flags;
}

/* What counts once does so even where `new` says it of the child as well. */
static void inherit(ProcessTrace *t, Process *child, uint32_t always, uint32_t first) {
    TraceOrder once = {.flags = t->flags & first ? always | first : 0, .tracer = TRACER_UNNAMED};
    TraceOrder order = {.on = true, .flags = trace_hand_on(t, always, first), .tracer = t->tracer};
    if (order.flags == 0 || trace_session_is_over(t->session) ||
        is_taken(child, trace_find(child, t->session), &order))
        return;
    change_flags(child, t->session, &order);
    change_flags(child, t->session, &once);
}

static void take_fresh(Process *child, TraceSession *s) {
    if (atomic_load_explicit(&s->fresh_flags, memory_order_relaxed) == 0)
        return;
    TraceOrder order = {.on = true};
    trace_fresh_now(s, &order.flags, &order.tracer);
    trace_apply(child, s, &order);
    tracer_drop(order.tracer);
}

static void take_all_fresh(Process *child) {
    if (atomic_load_explicit(&trace_fresh_sessions, memory_order_relaxed) == 0)
        return;
    for (TraceSession *s = trace_sessions_first(); s != NULL; s = trace_sessions_next(s))
        take_fresh(child, s);
}

static void spawned(Process *parent, Process *child, bool linked) {
    take_all_fresh(child);
    for (ProcessTrace *t = parent != NULL ? parent->trace : NULL; t != NULL; t = t->next) {
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
    trace_points.release = release;
}
