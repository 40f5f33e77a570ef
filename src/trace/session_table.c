#include "trace/session_table.h"

#include "alloc/alloc.h"
#include "process/trace_frame.h"
#include "term/atom.h"
#include "trace/limit.h"
#include "trace/program.h"

TraceSession trace_default_session = {
    .number = FRAME_OF_DEFAULT_SESSION, .tracer = {NON_VALUE}, .on_load.meta_tracer = {NIL}};
Mutex trace_sessions_lock = MUTEX_INITIALIZER(LOCK_TRACE_SESSION);

static _Atomic(TraceSession *) first = &trace_default_session;

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

void trace_session_unlink(const TraceSession *s) {
    atomic_store_explicit(link_to(s), trace_sessions_next(s), memory_order_release);
}

TraceSession *trace_session_create(Term name, Tracer tracer, bool keeps_on_reload, TraceLimit *limit) {
    static int64_t next_number;
    CountedSession *c = mem_calloc(ALLOC_TRACE, sizeof *c);
    TraceSession *s = &c->session;
    atomic_init(&c->references, 2); /* the list's and the handle's */
    s->name = name;
    s->tracer = tracer_keep(tracer);
    s->keeps_on_reload = keeps_on_reload;
    s->limit = limit;
    s->on_load.meta_tracer = TRACER_NOBODY;
    atomic_init(&s->next, &trace_default_session);
    mutex_lock(&trace_sessions_lock);
    s->number = next_number++;
    atomic_store_explicit(link_to(&trace_default_session), s, memory_order_release);
    mutex_unlock(&trace_sessions_lock);
    return s;
}

void trace_session_keep(TraceSession *s) {
    CountedSession *c = trace_session_counted(s);
    if (c != NULL)
        atomic_fetch_add_explicit(&c->references, 1, memory_order_relaxed);
}

void trace_session_release(TraceSession *s) {
    CountedSession *c = trace_session_counted(s);
    if (c == NULL || atomic_fetch_sub_explicit(&c->references, 1, memory_order_acq_rel) > 1)
        return;
    program_drop(s->on_load.program);
    program_drop(s->on_load.meta_program);
    program_drop(s->on_load.sum_program);
    tracer_drop(s->on_load.meta_tracer);
    tracer_drop(s->tracer);
    limit_free(s->limit);
    for (unsigned i = 0; i < array_length(s->message_programs); i++)
        program_drop_later(atomic_load(&s->message_programs[i]));
    mem_free(ALLOC_TRACE, c);
}

Term trace_session_weak(Area *area, const TraceSession *s) {
    if (s == &trace_default_session)
        return area_tuple2(area, am_legacy, am_default);
    return area_tuple2(area, s->name, small_make((SWord)s->number));
}
