/*
 * erlang:trace_info/2, and the same of a session. Source: erlang(3) trace_info/2, trace(3) info/3 and session_info/1;
 * answers of OTP 25, and of OTP 27 for sessions and call_memory.
 */
#include <stdlib.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/trace/trace_session.h"
#include "bif/trace/trace_sum.h"
#include "bif_table.h"
#include "code/beam_file.h"
#include "heap/copy.h"
#include "process/actor.h"
#include "process/request.h"
#include "replace/code_permission.h"
#include "term/atom.h"
#include "sys/release.h"
#include "term/integer.h"
#include "term/map.h"
#include "trace/event_pattern.h"
#include "trace/limit.h"
#include "trace/flags.h"
#include "trace/pattern_walk.h"

static Term item_of(Area *area, Term item, uint32_t flags, Tracer tracer) {
    return area_tuple2(area, item, item == am_flags ? trace_flag_list(area, flags) : tracer_term(tracer, area));
}

/* What about it, and of which session; NULL: the item `session`, which is of all of them. */
typedef struct {
    TraceSession *session;
    Term item;
} Question;

static Term own_item(Process *p, const Question *q, Area *area) {
    if (q->session == NULL)
        return area_tuple2(area, am_session, trace_sessions_of_process(p, area));
    const ProcessTrace *t = trace_find_live(p, q->session);
    return item_of(area, q->item, t != NULL ? t->flags : 0, t != NULL ? t->tracer : TRACER_NOBODY);
}

/* Counts the session. */
typedef struct {
    CallSignal call;
    Term asker;
    Question question;
    uint64_t id;
} InfoSignal;

static void info_free(InfoSignal *s) {
    if (s->question.session != NULL)
        trace_session_release(s->question.session);
    mem_free(ALLOC_SIGNAL, s);
}

static void answer(Process *p, CallSignal *call) {
    InfoSignal *s = container_of(call, InfoSignal, call);
    FragmentArea built; /* a port has no heap */
    fragment_area_init(&built, 0);
    request_reply(s->asker, s->id, actor_is_ending(p) ? am_undefined : own_item(p, &s->question, &built.area));
    fragment_area_drop(&built);
    info_free(s);
}

static Term about_process(Process *p, Term pid, const Question *q) {
    if (pid == p->pid)
        return own_item(p, q, process_area(p));
    InfoSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    *s = (InfoSignal){.asker = p->pid, .question = *q, .id = request_begin(p)};
    if (q->session != NULL)
        trace_session_keep(q->session);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = answer;
    if (signal_ask(p, pid, &s->call.signal))
        return request_wait(p);
    request_end(p);
    info_free(s);
    return am_undefined;
}

static Term about_fresh(Process *p, const Question *q, TracedKind kind) {
    if (q->session == NULL)
        return area_tuple2(process_area(p), am_session, trace_sessions_of_fresh(p, kind));
    TraceOrder fresh = trace_fresh_now(q->session, kind);
    return item_of(process_area(p), q->item, fresh.flags, fresh.tracer);
}

/* What a session wants of a function: of its code, and of its export entry. */
typedef struct {
    const BpEntry *local, *global;
} Wanted;

static const FunctionHeader *function_named(Term module, Term function, uint32_t arity) {
    const Module *m = module_find(module);
    const ModuleInstance *instance = m != NULL ? module_current(m) : NULL;
    for (uint32_t i = 0; instance != NULL && i < instance->function_count; i++) {
        const FunctionHeader *f = instance_function(instance, i);
        if (f->function == function && f->arity == arity)
            return f;
    }
    return NULL;
}

/* False: there is no such function. */
static bool traced_function(const Term *mfa, TracedFunction *t) {
    uint32_t arity = (uint32_t)small_value(mfa[2]);
    const FunctionHeader *f = function_named(mfa[0], mfa[1], arity);
    const Export *e = export_find(mfa[0], mfa[1], arity);
    bool is_native = e != NULL && pattern_is_of_entry(e);
    const ExportBp *entry = e != NULL ? export_breakpoint(e, code_active()) : NULL;
    t->entry = entry != NULL ? &entry->bp : NULL;
    t->code = is_native ? t->entry : f != NULL ? breakpoint_at(f) : NULL;
    return f != NULL || (e != NULL && export_is_defined(e));
}

static Term program_source(const MatchProgram *program, Area *area) {
    return program == NULL ? NIL : term_copy(match_spec_source(program->spec), area);
}

static Term time_tuple(Area *area, const CostSum *s) {
    int64_t us = s->amount / 1000;
    return area_tuple4(area, s->pid, integer_from_int64(area, s->calls), small_make(us / 1000000),
                       small_make(us % 1000000));
}

static Term memory_tuple(Area *area, const CostSum *s) {
    return area_tuple3(area, s->pid, integer_from_int64(area, s->calls), integer_from_int64(area, s->amount));
}

static Term costs(const CallCost *cost, Area *area, Term tuple(Area *area, const CostSum *s)) {
    size_t count;
    CostSum *sums = cost_sums(cost, &count);
    Term list = NIL;
    for (size_t i = 0; i < count; i++)
        list = area_cons(area, tuple(area, &sums[i]), list);
    mem_free(ALLOC_TEMP, sums);
    return list;
}

/* false too when it is gone. */
static Term meta_item(Area *area, const BpEntry *e) {
    if (e == NULL || !(e->kinds & BP_META))
        return am_false;
    Tracer tracer = meta_tracer(e->meta);
    return is_nil(tracer.term) ? am_false : tracer_term(tracer, area);
}

/* Of either: they are in one pattern, or in two. */
static Term dropped_of(const Wanted *w, Area *area) {
    const CallCount *local = w->local != NULL ? w->local->dropped : NULL;
    const CallCount *global = w->global != NULL ? w->global->dropped : NULL;
    if (local == NULL && global == NULL)
        return am_false;
    int64_t count = local != NULL ? call_count_read(local) : 0;
    if (global != NULL && global != local)
        count += call_count_read(global);
    return integer_from_int64(area, count);
}

static Term function_item(Process *p, const void *of, Term item) {
    const Wanted *w = of;
    Area *area = process_area(p);
    bool local = w->local != NULL && (w->local->kinds & BP_LOCAL);
    bool global = w->global != NULL && (w->global->kinds & BP_GLOBAL);
    const BpEntry *e = w->local;
    switch (item) {
    case am_traced: return local ? am_local : global ? am_global : am_false;
    case am_match_spec:
        return local    ? program_source(w->local->program, area)
               : global ? program_source(w->global->program, area)
                        : am_false;
    case am_meta: return meta_item(area, e);
    case am_meta_match_spec:
        return e != NULL && (e->kinds & BP_META) ? program_source(e->meta_program, area) : am_false;
    case am_call_count:
        return e != NULL && e->count != NULL ? integer_from_int64(area, call_count_read(e->count)) : am_false;
    case am_call_time: return e != NULL && e->time != NULL ? costs(e->time, area, time_tuple) : am_false;
    case am_call_memory: return e != NULL && e->memory != NULL ? costs(e->memory, area, memory_tuple) : am_false;
    case am_dropped: return dropped_of(w, area);
    case am_sum: return e != NULL && e->sum != NULL ? trace_sum_term(p, e->sum) : am_false;
    default: return NON_VALUE;
    }
}

static const Term items[] = {am_traced,      am_match_spec, am_meta,      am_meta_match_spec,
                             am_call_memory, am_call_time,  am_call_count};
static bool is_listed(Term item) { return item != am_call_memory || release_has(RELEASE_MEMORY_IN_ALL); }
static bool is_any(Term item) { return true; }
static bool is_listed_on_load(Term item) { return item != am_call_memory && item != am_call_time; }

/* {Item, Value} of each. */
static Term all_items(Process *p, bool listed(Term item), Term value(Process *p, const void *of, Term item),
                      const void *of) {
    Area *area = process_area(p);
    Term list = NIL;
    for (size_t i = array_length(items); i-- > 0;)
        if (listed(items[i]))
            list = area_cons(area, area_tuple2(area, items[i], value(p, of, items[i])), list);
    return list;
}

static Term about_function(Process *p, const Term *mfa, const Question *q) {
    TracedFunction traced;
    Area *area = process_area(p);
    Term item = q->item;
    if (!is_atom(mfa[0]) || !is_atom(mfa[1]) || !is_small(mfa[2]))
        return fail_badarg(p);
    if (small_value(mfa[2]) < 0 || small_value(mfa[2]) > BEAM_ARITY_MAX || !traced_function(mfa, &traced))
        return area_tuple2(area, item, am_undefined);
    if (q->session == NULL)
        return area_tuple2(area, item, trace_sessions_of_function(p, &traced));
    Wanted wanted = {pattern_entry(traced.code, q->session), pattern_entry(traced.entry, q->session)};
    bool any = wanted.local != NULL || wanted.global != NULL;
    Term value = !any ? am_false
                 : item != am_all
                     ? function_item(p, &wanted, item)
                     : all_items(p, q->session != &trace_default_session ? is_any : is_listed, function_item, &wanted);
    if (item == am_meta && value == am_false && any)
        value = NIL; /* as stock answers for a function that is traced, but not so */
    return is_value(value) ? area_tuple2(area, item, value) : fail_badarg(p);
}

static Term on_load_item(Process *p, const void *of, Term item) {
    const OnLoad *o = of;
    Area *area = process_area(p);
    switch (item) {
    case am_traced: return o->kinds & BP_LOCAL ? am_local : o->kinds & BP_GLOBAL ? am_global : am_false;
    case am_match_spec:
        return (o->kinds & (BP_LOCAL | BP_GLOBAL)) || o->program != NULL ? program_source(o->program, area) : am_false;
    case am_meta:
        return (o->kinds & BP_META) && o->meta_tracer.term != NIL ? tracer_term(o->meta_tracer, area) : am_false;
    case am_meta_match_spec: return o->kinds & BP_META ? program_source(o->meta_program, area) : am_false;
    case am_call_count: return bool_term(o->kinds & BP_COUNT);
    case am_call_time: return bool_term(o->kinds & BP_TIME);
    case am_call_memory: return bool_term(o->kinds & BP_MEMORY);
    default: return NON_VALUE;
    }
}

static Term about_on_load(Process *p, const Question *q) {
    if (!code_permission_take(p))
        return NON_VALUE;
    Term value;
    if (q->session == NULL) {
        value = trace_sessions_of_on_load(p);
    } else {
        const OnLoad *o = &q->session->on_load;
        value = o->kinds == 0       ? am_false /* whatever the item is called */
                : q->item == am_all ? all_items(p, is_listed_on_load, on_load_item, o)
                                    : on_load_item(p, o, q->item);
        if (q->item == am_match_spec && !(o->kinds & (BP_LOCAL | BP_GLOBAL)))
            value = am_false; /* as stock, though the list of all may show one */
    }
    return is_value(value) ? area_tuple2(process_area(p), q->item, value) : fail_badarg(p);
}

static Term about_messages(Process *p, const Question *q, MessageKind kind) {
    bool none;
    Area *area = process_area(p);
    if (q->session == NULL)
        return area_tuple2(area, am_session, trace_sessions_of_messages(p, kind));
    const MatchProgram *program = event_pattern_now(q->session, kind, &none);
    if (q->item != am_match_spec)
        return fail_badarg(p);
    return area_tuple2(area, am_match_spec, program != NULL ? program_source(program, area) : bool_term(!none));
}

/* Of events by their kinds. */
static Term dropped_map(Area *area, const TraceLimit *limit) {
    static const struct {
        Term name;
        TracerTopic topic;
    } kinds[] = {{am_call, TOPIC_CALL},
                 {am_send_word, TOPIC_SEND},
                 {am_receive, TOPIC_RECEIVE},
                 {am_procs, TOPIC_PROCS},
                 {am_ports, TOPIC_PORTS},
                 {am_running, TOPIC_RUNNING_PROCS},
                 {am_running_ports, TOPIC_RUNNING_PORTS},
                 {am_garbage_collection, TOPIC_GARBAGE_COLLECTION}};
    Term pairs[2 * array_length(kinds)];
    for (size_t i = 0; i < array_length(kinds); i++) {
        pairs[2 * i] = kinds[i].name;
        pairs[2 * i + 1] = integer_from_uint64(area, limit_refused(limit, kinds[i].topic));
    }
    return map_from_pairs(area, pairs, array_length(kinds));
}

/* false: it has no limit. */
static Term about_session(Process *p, const Question *q) {
    Area *area = process_area(p);
    const TraceLimit *limit = q->session != NULL ? q->session->limit : NULL;
    if (q->item == am_dropped)
        return area_tuple2(area, am_dropped, limit != NULL ? dropped_map(area, limit) : am_false);
    if (q->item != am_waiting)
        return fail_badarg(p);
    bool counts = limit != NULL && limit_options(limit)->bytes != 0;
    return area_tuple2(area, am_waiting, counts ? integer_from_int64(area, limit_waiting(limit)) : am_false);
}

static Term info(Process *p, const Question *q, Term what) {
    bool of_process = q->item == am_flags || q->item == am_tracer || q->session == NULL;
    if (is_local_pid(what) || is_local_port(what))
        return of_process ? about_process(p, what, q) : fail_badarg(p);
    if (what == am_new || what == am_new_processes)
        return of_process ? about_fresh(p, q, TRACED_PROCESSES) : fail_badarg(p);
    if (what == am_new_ports)
        return of_process ? about_fresh(p, q, TRACED_PORTS) : fail_badarg(p);
    if (what == am_on_load)
        return about_on_load(p, q);
    if (what == am_session && q->session != &trace_default_session)
        return about_session(p, q);
    if (what == am_send_word || what == am_receive)
        return about_messages(p, q, what == am_receive ? MESSAGES_RECEIVED : MESSAGES_SENT);
    if (is_tuple_arity(what, 3))
        return about_function(p, tuple_elements(what), q);
    return is_tuple(what) ? fail_badarg(p) : fail_badarg_cause(p, am_badopt);
}

Term erlang_trace_info_2(Process *p, const Term *a) {
    Term answer;
    Question q = {&trace_default_session, a[1]};
    return request_goes_on(p, &answer) ? answer : info(p, &q, a[0]);
}

/* Of `any`: the sessions that are concerned, or all. */
Term erts_internal_trace_info_3(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    if (a[0] == am_any && a[2] == am_session) {
        Question q = {NULL, am_session};
        return a[1] != am_any ? info(p, &q, a[1]) : area_tuple2(process_area(p), am_session, trace_sessions_all(p));
    }
    Question q = {trace_session_of(a[0]), a[2]};
    return q.session != NULL ? info(p, &q, a[1]) : trace_session_badarg(p);
}
