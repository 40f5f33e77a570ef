/*
 * erlang:trace_info/2. Source: erlang(3) trace_info/2; answers of OTP 25, and of OTP 27 for call_memory.
 */
#include <stdlib.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "heap/copy.h"
#include "process/code_permission.h"
#include "process/request.h"
#include "term/atom.h"
#include "sys/release.h"
#include "term/integer.h"
#include "trace/event_pattern.h"
#include "trace/flags.h"
#include "trace/pattern.h"

static Term tracer_term(Area *area, Tracer tracer) {
    return is_pointer(tracer.term) ? term_copy(tracer.term, area) : tracer.term;
}

static Term item_of(Area *area, Term item, uint32_t flags, Tracer tracer) {
    return area_tuple2(area, item, item == am_flags ? trace_flag_list(area, flags) : tracer_term(area, tracer));
}

/* Settings whose tracer is no more go first. */
static Term own_item(Process *p, Term item, Area *area) {
    ProcessTrace *t = trace_find(p, &trace_default_session);
    if (t != NULL && is_tracer_module(t->tracer.term) && !tracer_is_alive(t->tracer.term, p->pid)) {
        trace_stop(p, t);
        t = trace_find(p, &trace_default_session);
    }
    return item_of(area, item, t != NULL ? t->flags : 0, t != NULL ? t->tracer : TRACER_NOBODY);
}

typedef struct {
    CallSignal call;
    Term asker, item;
    uint64_t id;
} InfoSignal;

static void answer(Process *p, CallSignal *call) {
    InfoSignal *s = container_of(call, InfoSignal, call);
    if (process_is_exiting(p))
        request_reply(s->asker, s->id, am_undefined);
    else
        request_reply(s->asker, s->id, own_item(p, s->item, process_area(p)));
    mem_free(ALLOC_SIGNAL, s);
}

static Term about_process(Process *p, Term pid, Term item) {
    Term known;
    switch (request_answer(p, &known)) {
    case REQUEST_PENDING: return request_wait(p);
    case REQUEST_ANSWERED: return known;
    case REQUEST_NONE: break;
    }
    if (pid == p->pid)
        return own_item(p, item, process_area(p));
    InfoSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    *s = (InfoSignal){.asker = p->pid, .item = item, .id = request_begin(p)};
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = answer;
    if (signal_send(pid, &s->call.signal))
        return request_wait(p);
    request_end(p);
    mem_free(ALLOC_SIGNAL, s);
    return am_undefined;
}

static Term about_fresh(Process *p, Term item) {
    uint32_t flags;
    Tracer tracer;
    trace_fresh_now(&trace_default_session, &flags, &tracer);
    Term answer = item_of(process_area(p), item, flags, tracer);
    tracer_drop(tracer);
    return answer;
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
static bool wanted_of(const Term *mfa, Wanted *w) {
    uint32_t arity = (uint32_t)small_value(mfa[2]);
    const FunctionHeader *f = function_named(mfa[0], mfa[1], arity);
    const Export *e = export_find(mfa[0], mfa[1], arity);
    bool is_native = e != NULL && e->bif != NULL;
    const BpEntry *entry = e != NULL ? pattern_entry(e->breakpoint[code_active()], &trace_default_session) : NULL;
    w->local = f != NULL ? pattern_entry(breakpoint_at(f), &trace_default_session) : is_native ? entry : NULL;
    w->global = entry;
    return f != NULL || (e != NULL && export_is_defined(e));
}

static Term program_source(const MatchProgram *program, Area *area) {
    return program == NULL ? NIL : is_pointer(program->source) ? term_copy(program->source, area) : program->source;
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

static Term function_item(Process *p, const Wanted *w, Term item) {
    Area *area = process_area(p);
    bool local = w->local != NULL && (w->local->kinds & BP_LOCAL);
    bool global = w->global != NULL && (w->global->kinds & BP_GLOBAL);
    const BpEntry *e = w->local;
    switch (item) {
    case am_traced:
        return local ? am_local : global ? am_global : am_false;
    case am_match_spec:
        return local ? program_source(w->local->program, area)
                     : global ? program_source(w->global->program, area) : am_false;
    case am_meta:
        return e != NULL && (e->kinds & BP_META) ? tracer_term(area, e->meta) : am_false;
    case am_meta_match_spec:
        return e != NULL && (e->kinds & BP_META) ? program_source(e->meta_program, area) : am_false;
    case am_call_count:
        return e != NULL && e->count != NULL
                   ? integer_from_int64(area, atomic_load_explicit(&e->count->calls, memory_order_relaxed)) : am_false;
    case am_call_time:
        return e != NULL && e->time != NULL ? costs(e->time, area, time_tuple) : am_false;
    case am_call_memory:
        return e != NULL && e->memory != NULL ? costs(e->memory, area, memory_tuple) : am_false;
    default:
        return NON_VALUE;
    }
}

static const Term items[] = {am_traced,      am_match_spec, am_meta,      am_meta_match_spec,
                             am_call_memory, am_call_time,  am_call_count};
static bool is_listed(Term item) { return item != am_call_memory || strtol(otp_release, NULL, 10) >= 26; }

static Term all_items(Process *p, const Wanted *w) {
    Area *area = process_area(p);
    if (w->local == NULL && w->global == NULL)
        return am_false;
    Term list = NIL;
    for (size_t i = array_length(items); i-- > 0;)
        if (is_listed(items[i]))
            list = area_cons(area, area_tuple2(area, items[i], function_item(p, w, items[i])), list);
    return list;
}

static Term about_function(Process *p, const Term *mfa, Term item) {
    Wanted wanted;
    Area *area = process_area(p);
    if (!is_atom(mfa[0]) || !is_atom(mfa[1]) || !is_small(mfa[2]) || small_value(mfa[2]) < 0)
        return fail_badarg(p);
    if (!wanted_of(mfa, &wanted))
        return area_tuple2(area, item, am_undefined);
    Term value = item == am_all ? all_items(p, &wanted) : function_item(p, &wanted, item);
    if (item == am_meta && value == am_false && wanted.local != NULL)
        value = NIL; /* as stock answers for a function that is traced, but not so */
    return is_value(value) ? area_tuple2(area, item, value) : fail_badarg(p);
}

static Term on_load_item(const OnLoad *o, Area *area, Term item) {
    switch (item) {
    case am_traced:
        return o->kinds & BP_LOCAL ? am_local : o->kinds & BP_GLOBAL ? am_global : am_false;
    case am_match_spec:
        return (o->kinds & (BP_LOCAL | BP_GLOBAL)) || o->program != NULL ? program_source(o->program, area) : am_false;
    case am_meta:
        return (o->kinds & BP_META) && o->meta_tracer.term != NIL ? tracer_term(area, o->meta_tracer) : am_false;
    case am_meta_match_spec:
        return o->kinds & BP_META ? program_source(o->meta_program, area) : am_false;
    case am_call_count:
        return bool_term(o->kinds & BP_COUNT);
    case am_call_time:
        return bool_term(o->kinds & BP_TIME);
    case am_call_memory:
        return bool_term(o->kinds & BP_MEMORY);
    default:
        return NON_VALUE;
    }
}

static Term about_on_load(Process *p, Term item) {
    const OnLoad *o = &trace_default_session.on_load;
    Area *area = process_area(p);
    if (!code_permission_take(p))
        return NON_VALUE;
    Term value = item == am_all ? am_false : on_load_item(o, area, item);
    if (item == am_all && o->kinds != 0) {
        value = NIL;
        for (size_t i = array_length(items); i-- > 0;)
            if (items[i] != am_call_memory && items[i] != am_call_time)
                value = area_cons(area, area_tuple2(area, items[i], on_load_item(o, area, items[i])), value);
    }
    code_permission_release();
    return is_value(value) ? area_tuple2(area, item, value) : fail_badarg(p);
}

static Term about_messages(Process *p, Term what) {
    bool none;
    Area *area = process_area(p);
    const MatchProgram *program =
        event_pattern_now(&trace_default_session, what == am_send_word ? MESSAGES_SENT : MESSAGES_RECEIVED, &none);
    Term value = program != NULL ? program_source(program, area) : bool_term(!none);
    return area_tuple2(area, am_match_spec, value);
}

Term erlang_trace_info_2(Process *p, const Term *a) {
    bool of_process = a[1] == am_flags || a[1] == am_tracer;
    if (is_local_pid(a[0]) && of_process)
        return about_process(p, a[0], a[1]);
    if ((a[0] == am_new || a[0] == am_new_processes) && of_process)
        return about_fresh(p, a[1]);
    if (a[0] == am_on_load)
        return about_on_load(p, a[1]);
    if ((a[0] == am_send_word || a[0] == am_receive) && a[1] == am_match_spec)
        return about_messages(p, a[0]);
    if (is_tuple_arity(a[0], 3))
        return about_function(p, tuple_elements(a[0]), a[1]);
    return fail_badarg(p);
}
