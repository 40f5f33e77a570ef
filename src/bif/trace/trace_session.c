/*
 * Trace sessions: their handles, and session_create, session_destroy and the item `session` of the module trace.
 *
 * The strong reference is an object that holds a count of the session. Its last release may happen anywhere, in a
 * collection too, so all that it does is to hand the session over.
 */
#include "bif/trace/trace_session.h"

#include "bif/argument.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "process/request.h"
#include "term/atom.h"
#include "term/map.h"
#include "trace/dropped.h"
#include "trace/pattern.h"

static bool handle_gone(RefcBinary *binary) {
    trace_session_abandon(*(TraceSession **)binary->bytes);
    return true;
}

static bool names(Term weak, const TraceSession *s) {
    const Term *e = is_tuple_arity(weak, 2) ? tuple_elements(weak) : NULL;
    return e != NULL && e[0] == s->name && e[1] == small_make((SWord)s->number);
}

/* One that is over too. */
static TraceSession *session_of_strong(Term handle) {
    TraceSession **object = is_tuple_arity(handle, 2) ? native_object(tuple_elements(handle)[0], handle_gone) : NULL;
    return object != NULL && names(tuple_elements(handle)[1], *object) ? *object : NULL;
}

static TraceSession *session_of_weak(Term handle) {
    bool may_be = is_tuple_arity(handle, 2) && is_small(tuple_elements(handle)[1]);
    TraceSession *s = may_be ? trace_session_numbered(small_value(tuple_elements(handle)[1])) : NULL;
    return s != NULL && names(handle, s) ? s : NULL;
}

TraceSession *trace_session_of(Term handle) {
    TraceSession *s = session_of_strong(handle);
    if (s == NULL)
        s = session_of_weak(handle);
    return s != NULL && !trace_session_is_over(s) ? s : NULL;
}

Term trace_session_badarg(Process *p) { return fail_badarg_cause(p, am_session); }

typedef struct {
    bool keeps, is_limited;
    LimitOptions limit;
} SessionOptions;

/* A key of the map is `name`: its value, an integer within the bounds. The others are lib/trace.erl's. */
static bool read_bound(Term key, Term value, LimitOptions *limit) {
    const struct {
        Term name;
        int64_t *bound;
        SWord most;
    } bounds[] = {{am_events, &limit->events, LIMIT_EVENTS_MAX}, {am_burst, &limit->burst, LIMIT_EVENTS_MAX},
                  {am_bytes, &limit->bytes, LIMIT_BYTES_MAX},    {am_share, &limit->share, LIMIT_SHARE_MAX},
                  {am_depth, &limit->depth, LIMIT_DEPTH_MAX},    {am_size, &limit->size, LIMIT_SIZE_MAX}};
    for (size_t i = 0; i < array_length(bounds); i++)
        if (bounds[i].name == key) {
            *bounds[i].bound = is_small(value) ? small_value(value) : 0;
            return is_small_within(value, 1, bounds[i].most);
        }
    return false;
}

static bool read_limit(Term map, LimitOptions *limit) {
    MapIterator it;
    Term key, value;
    *limit = (LimitOptions){0};
    if (!is_map(map))
        return false;
    map_iterator_init(&it, map);
    while (map_iterator_next(&it, &key, &value))
        if (!read_bound(key, value, limit))
            return false;
    return limit->burst == 0 || limit->events != 0;
}

/* {reload, keep | clear}, {limit, Map}: the last counts. */
static bool read_options(Term list, SessionOptions *options) {
    *options = (SessionOptions){0};
    for (; is_list(list); list = list_tail(list)) {
        const Term *e = is_tuple_arity(list_head(list), 2) ? tuple_elements(list_head(list)) : NULL;
        if (e != NULL && e[0] == am_limit && read_limit(e[1], &options->limit))
            options->is_limited = true;
        else if (e != NULL && e[0] == am_reload && (e[1] == am_keep || e[1] == am_clear))
            options->keeps = e[1] == am_keep;
        else
            return false;
    }
    return is_nil(list);
}

/* Pid, or {Module, State}. */
static bool read_tracer(Term t, Tracer *tracer) {
    return is_tuple_arity(t, 2) ? tracer_read(tuple_elements(t), 2, tracer) : tracer_read(&t, 1, tracer);
}

Term erts_internal_trace_session_create_3(Process *p, const Term *a) {
    SessionOptions options;
    Tracer tracer;
    if (!is_atom(a[0]) || !read_options(a[2], &options) || !read_tracer(a[1], &tracer))
        return fail_badarg(p);
    atomic_store_explicit(&trace_is_in_use, true, memory_order_relaxed);
    void *object;
    Term strong = native_new(p, sizeof(TraceSession *), handle_gone, &object);
    TraceSession *s = *(TraceSession **)object =
        trace_session_create(a[0], tracer, options.keeps, options.is_limited ? limit_create(&options.limit) : NULL);
    tracer_drop(tracer);
    Area *area = process_area(p);
    return area_tuple2(area, strong, trace_session_weak(area, s));
}

static Term destroy(Process *p, const Term *a, Term reason) {
    TraceSession *s = session_of_strong(a[0]);
    if (s == NULL)
        s = session_of_weak(a[0]);
    if (s == NULL)
        return fail_badarg_cause(p, am_badopt);
    if (trace_session_end(s, reason, p->pid, request_begin(p)))
        return request_wait(p);
    request_end(p);
    return am_false;
}

Term erts_internal_trace_session_destroy_1(Process *p, const Term *a) {
    Term answer;
    return request_goes_on(p, &answer) ? answer : destroy(p, a, am_destroyed);
}

/* With a reason: of sessions that end themselves. */
Term erts_internal_trace_session_destroy_2(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    return is_atom(a[1]) ? destroy(p, a, a[1]) : fail_badarg(p);
}

/* What was dropped and not yet said is said. False: the session is over. */
Term erts_internal_trace_session_say_1(Process *p, const Term *a) {
    TraceSession *s = trace_session_of(a[0]);
    if (s != NULL && s->limit != NULL)
        dropped_say_all(s);
    return bool_term(s != NULL);
}

/* Which sessions have a setting for what is asked about, and how to see it. */
typedef bool IsConcerned(const TraceSession *session, const void *what);

static Term list_concerned(Area *area, IsConcerned *is_concerned, const void *what) {
    Term list = NIL, *last = &list;
    for (const TraceSession *s = trace_sessions_first(); s != NULL; s = trace_sessions_next(s)) {
        if (!is_concerned(s, what))
            continue;
        *last = area_cons(area, trace_session_weak(area, s), NIL);
        last = list_ptr(*last) + 1;
    }
    return list;
}

static bool traces_process(const TraceSession *s, const void *p) {
    const ProcessTrace *t = trace_find(p, s);
    return t != NULL && t->flags != 0;
}

static bool tells_messages(const TraceSession *s, const void *kind) {
    bool none;
    event_pattern_now(s, *(const MessageKind *)kind, &none);
    return !none;
}

static bool traces_fresh(const TraceSession *s, const void *kind) {
    return trace_fresh_now(s, *(const TracedKind *)kind).flags != 0;
}
static bool has_on_load(const TraceSession *s, const void *what) { return s->on_load.kinds != 0; }
static bool is_any(const TraceSession *s, const void *what) { return true; }

static bool traces_function(const TraceSession *s, const void *what) {
    const TracedFunction *f = what;
    return pattern_entry(f->code, s) != NULL || pattern_entry(f->entry, s) != NULL;
}

Term trace_sessions_of_process(Process *p, Area *area) { return list_concerned(area, traces_process, p); }
Term trace_sessions_of_function(Process *p, const TracedFunction *f) {
    return list_concerned(process_area(p), traces_function, f);
}
Term trace_sessions_of_fresh(Process *p, TracedKind kind) {
    return list_concerned(process_area(p), traces_fresh, &kind);
}
Term trace_sessions_of_on_load(Process *p) { return list_concerned(process_area(p), has_on_load, NULL); }
Term trace_sessions_of_messages(Process *p, MessageKind kind) {
    return list_concerned(process_area(p), tells_messages, &kind);
}
Term trace_sessions_all(Process *p) { return list_concerned(process_area(p), is_any, NULL); }
