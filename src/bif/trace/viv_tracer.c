/*
 * The natives of the module viv_tracer: what lib/viv_tracer.erl makes tracers of (trace/erlang_tracer.h), and how one
 * is asked and told by hand.
 */
#include "bif/magic_object.h"
#include "bif/trace/trace_session.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/map.h"
#include "trace/erlang_tracer.h"

static bool add_programs(ErlangTracer *t, Term list) {
    for (; is_list(list); list = list_tail(list)) {
        const Term *e = is_tuple_arity(list_head(list), 2) ? tuple_elements(list_head(list)) : NULL;
        if (e == NULL || !erlang_tracer_add(t, e[0], e[1]))
            return false;
    }
    return is_nil(list) && erlang_tracer_is_whole(t);
}

/* (Session, Guard, State, [{Name, Specification}]) */
Term viv_tracer_create_4(Process *p, const Term *a) {
    TraceSession *s = trace_session_of(a[0]);
    if (s == NULL || s->limit == NULL || !is_local_pid(s->tracer.term) || !is_local_pid(a[1]))
        return fail_badarg(p);
    ErlangTracer *t = erlang_tracer_create(s, a[1], a[2]);
    if (!add_programs(t, a[3])) {
        erlang_tracer_free(t);
        return fail_badarg(p);
    }
    void *object;
    Term handle = native_new(p, sizeof t, erlang_tracer_gone, &object);
    *(ErlangTracer **)object = t;
    return handle;
}

Term viv_tracer_guard_of_1(Process *p, const Term *a) {
    const ErlangTracer *t = erlang_tracer_of(a[0]);
    return t != NULL ? area_tuple2(process_area(p), erlang_tracer_guard(t), erlang_tracer_host(t)) : am_false;
}

/* As erl_tracer:enabled/3 is for a process. */
Term viv_tracer_ask_3(Process *p, const Term *a) {
    if (erlang_tracer_of(a[1]) == NULL)
        return fail_badarg(p);
    return erlang_tracers.ask(a[1], TOPIC_ANY, a[0], a[2]);
}

static Term option(Term options, Term key) {
    const Term *value = map_get(options, key);
    return value != NULL ? *value : NON_VALUE;
}

/* (Tag, Handle, Tracee, Term, Options) */
Term viv_tracer_tell_5(Process *p, const Term *a) {
    if (erlang_tracer_of(a[1]) == NULL || !is_atom(a[0]) || !is_map(a[4]))
        return fail_badarg(p);
    TracerEvent e = {.tag = a[0],
                     .tracee = a[2],
                     .term = a[3],
                     .extra = option(a[4], am_extra),
                     .result = option(a[4], am_match_spec_result),
                     .scheduler = option(a[4], am_scheduler_id),
                     .timestamp = option(a[4], am_timestamp)};
    if (is_value(e.scheduler) && !is_small(e.scheduler))
        return fail_badarg(p);
    erlang_tracers.tell(a[1], TOPIC_ANY, &e);
    return am_ok;
}
