#include "trace/session_table.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/request.h"
#include "replace/code_permission.h"
#include "term/atom.h"
#include "trace/event_pattern.h"
#include "trace/pattern.h"

typedef struct {
    TraceSession session;
    _Atomic size_t references;
    ProgressNode abandoned, ended;
    PermissionClient client;
    Term asker;
    uint64_t id;
} CountedSession;

static _Atomic(TraceSession *) first = &trace_default_session;

static CountedSession *counted(TraceSession *s) {
    return s != &trace_default_session ? container_of(s, CountedSession, session) : NULL;
}

TraceSession *trace_sessions_first(void) { return atomic_load_explicit(&first, memory_order_acquire); }

TraceSession *trace_session_numbered(int64_t number) {
    TraceSession *s = trace_sessions_first();
    while (s != &trace_default_session && s->number != number)
        s = trace_sessions_next(s);
    return s != &trace_default_session ? s : NULL;
}

/* The place that leads to `s`, under the lock. */
static _Atomic(TraceSession *) *link_to(const TraceSession *s) {
    _Atomic(TraceSession *) *link = &first;
    while (atomic_load_explicit(link, memory_order_relaxed) != s)
        link = &atomic_load_explicit(link, memory_order_relaxed)->next;
    return link;
}

TraceSession *trace_session_create(Term name, Tracer tracer, bool keeps_on_reload) {
    static int64_t next_number;
    CountedSession *c = mem_calloc(ALLOC_TRACE, sizeof *c);
    TraceSession *s = &c->session;
    atomic_init(&c->references, 2); /* the list's and the handle's */
    s->name = name;
    s->tracer = tracer_keep(tracer);
    s->keeps_on_reload = keeps_on_reload;
    s->on_load.meta_tracer = TRACER_NOBODY;
    atomic_init(&s->next, &trace_default_session);
    mutex_lock(&trace_sessions_lock);
    s->number = next_number++;
    atomic_store_explicit(link_to(&trace_default_session), s, memory_order_release);
    mutex_unlock(&trace_sessions_lock);
    return s;
}

void trace_session_keep(TraceSession *s) {
    CountedSession *c = counted(s);
    if (c != NULL)
        atomic_fetch_add_explicit(&c->references, 1, memory_order_relaxed);
}

void trace_session_release(TraceSession *s) {
    CountedSession *c = counted(s);
    if (c == NULL || atomic_fetch_sub_explicit(&c->references, 1, memory_order_acq_rel) > 1)
        return;
    program_drop(s->on_load.program);
    program_drop(s->on_load.meta_program);
    tracer_drop(s->on_load.meta_tracer);
    tracer_drop(s->tracer);
    event_pattern_set(s, MESSAGES_SENT, NULL, false);
    event_pattern_set(s, MESSAGES_RECEIVED, NULL, false);
    mem_free(ALLOC_TRACE, c);
}

static void ended(TraceSession *s) {
    CountedSession *c = counted(s);
    if (is_value(c->asker))
        request_reply(c->asker, c->id, am_true);
    trace_session_release(s);
}

static void take_patterns_out(PermissionClient *client) {
    pattern_end_session(&container_of(client, CountedSession, client)->session, ended);
}

static void nobody_uses_it(ProgressNode *node) {
    CountedSession *c = container_of(node, CountedSession, ended);
    thread_progress_enter(); /* the thread may be going to sleep */
    race_window("nobody uses a session, its patterns are there");
    if (c->session.has_patterns)
        permission_take_for(&code_permission, &c->client, take_patterns_out);
    else
        ended(&c->session);
    thread_progress_leave();
}

bool trace_session_end(TraceSession *s, Term asker, uint64_t id) {
    CountedSession *c = counted(s);
    mutex_lock(&trace_sessions_lock);
    bool ends = !trace_session_is_over(s);
    if (ends) {
        c->asker = asker;
        c->id = id;
        atomic_store_explicit(&s->is_over, true, memory_order_release);
        atomic_store_explicit(link_to(s), trace_sessions_next(s), memory_order_release);
        trace_settings_end(s);
    }
    mutex_unlock(&trace_sessions_lock);
    if (ends) {
        c->ended.run = nobody_uses_it;
        thread_progress_later(&c->ended);
    }
    return ends;
}

static void end_abandoned(ProgressNode *node) {
    TraceSession *s = &container_of(node, CountedSession, abandoned)->session;
    trace_session_end(s, NON_VALUE, 0);
    trace_session_release(s);
}

void trace_session_abandon(TraceSession *s) {
    CountedSession *c = counted(s);
    c->abandoned.run = end_abandoned;
    thread_progress_later(&c->abandoned);
}
