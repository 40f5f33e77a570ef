/*
 * What erlang:trace_pattern/2,3 call, and erts_debug:breakpoint/2, which the debugger calls for functions that it
 * interprets. Source: erlang(3) trace_pattern/3; which arguments are refused, and how, is OTP 25's.
 */
#include "bif/argument.h"
#include "bif/trace/trace_session.h"
#include "bif/trace/trace_sum.h"
#include "bif_table.h"
#include "process/request.h"
#include "replace/code_permission.h"
#include "sys/release.h"
#include "term/atom.h"
#include "trace/event_pattern.h"
#include "trace/pattern_walk.h"

/* The last tracer that is named counts. */
static bool read_meta(Term t, PatternChange *change) {
    if (tracer_is_named(change->session->tracer) || !tracer_read_option(t, am_meta, &change->meta_tracer))
        return false;
    change->kinds |= BP_META;
    return true;
}

static Tracer own_tracer(const Process *p, const TraceSession *s) {
    return tracer_is_named(s->tracer) ? tracer_keep(s->tracer) : (Tracer){p->pid};
}

/* {sum, Form}, or `sum` of those that are there. */
static bool read_sum(Term t, PatternChange *change) {
    bool has_form = is_tuple_arity(t, 2) && tuple_elements(t)[0] == am_sum;
    if (t != am_sum && !(has_form && trace_sum_read(tuple_elements(t)[1], &change->sum_form)))
        return false;
    change->kinds |= BP_SUM;
    return true;
}

static bool read_kind(Process *p, Term t, PatternChange *change) {
    static const struct {
        Term name;
        uint32_t kind;
    } kinds[] = {{am_local, BP_LOCAL},      {am_global, BP_GLOBAL},  {am_meta, BP_META},
                 {am_call_count, BP_COUNT}, {am_call_time, BP_TIME}, {am_call_memory, BP_MEMORY}};
    if (change->session != &trace_default_session && read_sum(t, change))
        return true;
    if (is_tuple(t))
        return read_meta(t, change);
    for (size_t i = 0; i < array_length(kinds); i++)
        if (kinds[i].name == t) {
            change->kinds |= kinds[i].kind;
            if (t == am_meta && is_nil(change->meta_tracer.term))
                change->meta_tracer = own_tracer(p, change->session);
            return true;
        }
    return false;
}

/* As stock has it, {meta, Tracer} may come after `global`, and takes its place. */
static bool read_kinds(Process *p, Term list, PatternChange *change) {
    for (; is_list(list); list = list_tail(list)) {
        Term t = list_head(list);
        uint32_t excluded = is_tuple(t) ? 0 : t == am_global ? ~(uint32_t)BP_GLOBAL : BP_GLOBAL;
        if ((change->kinds & excluded) || !read_kind(p, t, change))
            return false;
    }
    if (change->kinds & BP_META)
        change->kinds &= ~(uint32_t)BP_GLOBAL;
    return is_nil(list);
}

#define ARITY_MAX 255
/* A wildcard may only be followed by wildcards. */
static bool read_functions(Term t, PatternChange *change) {
    if (!is_tuple_arity(t, 3))
        return false;
    const Term *e = tuple_elements(t);
    if (!is_atom(e[0]) || !is_atom(e[1]) || !(e[2] == am_underscore || is_small(e[2])))
        return false;
    change->module = e[0] == am_underscore ? NON_VALUE : e[0];
    change->function = e[1] == am_underscore ? NON_VALUE : e[1];
    bool possible = is_small(e[2]) && small_value(e[2]) >= 0 && small_value(e[2]) <= ARITY_MAX;
    change->arity = e[2] == am_underscore ? -1 : possible ? (int)small_value(e[2]) : ARITY_MAX + 1;
    if (!is_value(change->module) && (is_value(change->function) || change->arity >= 0))
        return false;
    return is_value(change->function) || change->arity < 0;
}

/* Kinds that keep figures take no specification. */
static bool is_specified_figure(const PatternChange *change) {
    return change->program != NULL && change->kinds != 0 && (change->kinds & ~(uint32_t)BP_FIGURES) == 0;
}

/* What the specification says. */
static MatchVerdict read_specification(Term t, MatchDialect dialect, PatternChange *change) {
    if (t == am_false || t == am_restart || t == am_pause) {
        change->verb = t == am_false ? PATTERN_OFF : t == am_pause ? PATTERN_PAUSE : PATTERN_RESTART;
        return MATCH_GOOD;
    }
    change->verb = PATTERN_ON;
    return t == am_true || t == NIL ? MATCH_GOOD : program_create(t, dialect, &change->program);
}

/* Sums are alone, as the forms of them are that turn them on; expressions are of a specification. */
static bool are_good_sums(const PatternChange *change) {
    bool has_form = change->sum_form.rows != 0;
    if (change->sum_form.expressions != 0 && change->program == NULL)
        return false;
    return !(change->kinds & BP_SUM) || (change->kinds == BP_SUM && has_form == (change->verb == PATTERN_ON));
}

static Term change_on_load(Process *p, const PatternChange *change) {
    pattern_set_on_load(change);
    return small_make(0);
}

static Term change_pattern(Process *p, const PatternChange *change) {
    size_t matched;
    uint64_t id = request_begin(p);
    if (pattern_change(change, p->pid, id, &matched))
        return request_wait(p);
    request_end(p);
    return small_make((SWord)matched);
}

static Term with_permission(Process *p, const PatternChange *change,
                            Term make(Process *p, const PatternChange *change)) {
    if (!code_permission_take(p))
        return NON_VALUE;
    atomic_store_explicit(&trace_is_in_use, true, memory_order_relaxed);
    return make(p, change);
}

/* {_, true | false | Specification}: which messages are told. */
static Term change_messages(Process *p, MessageKind kind, const PatternChange *change) {
    if (change->kinds != 0 || (change->verb != PATTERN_ON && change->verb != PATTERN_OFF))
        return fail_badarg_cause(p, am_none);
    event_pattern_set(change->session, kind, program_keep(change->program), change->verb == PATTERN_OFF);
    return small_make(1);
}

static Term refuse_specification(Process *p, MatchVerdict verdict) {
    fail_with(p, verdict == MATCH_TOO_DEEP ? FAIL_SYSTEM_LIMIT : FAIL_BADARG);
    p->fail.cause = am_match_spec;
    return NON_VALUE;
}

static MatchDialect dialect_of(Term functions) {
    return functions == am_send_word ? MATCH_TRACE_SEND : functions == am_receive ? MATCH_TRACE_RECEIVE : MATCH_TRACE;
}

static Term make_change(Process *p, Term functions, Term specification, Term kinds, PatternChange *change) {
    MatchDialect dialect = dialect_of(functions);
    bool kinds_first = change->session != &trace_default_session || release_has(RELEASE_KINDS_FIRST);
    if (kinds_first && !read_kinds(p, kinds, change))
        return fail_badarg_cause(p, am_badopt);
    MatchVerdict verdict = read_specification(specification, dialect, change);
    if (verdict != MATCH_GOOD)
        return refuse_specification(p, verdict);
    if (!kinds_first && !read_kinds(p, kinds, change))
        return fail_badarg_cause(p, am_badopt);
    if (!are_good_sums(change))
        return fail_badarg_cause(p, am_badopt);
    if (is_specified_figure(change))
        return fail_badarg_cause(p, am_call_count);
    if (dialect != MATCH_TRACE)
        return change_messages(p, dialect == MATCH_TRACE_SEND ? MESSAGES_SENT : MESSAGES_RECEIVED, change);
    if (change->kinds == 0)
        change->kinds = BP_GLOBAL;
    if (functions != am_on_load && !read_functions(functions, change))
        return fail_badarg_cause(p, am_none);
    return with_permission(p, change, functions == am_on_load ? change_on_load : change_pattern);
}

static Term trace_pattern(Process *p, TraceSession *s, const Term *a) {
    PatternChange change = {.session = s, .meta_tracer = TRACER_NOBODY};
    Term result = make_change(p, a[0], a[1], a[2], &change);
    program_drop(change.program);
    tracer_drop(change.meta_tracer);
    return result;
}

Term erts_internal_trace_pattern_3(Process *p, const Term *a) {
    Term result;
    return request_goes_on(p, &result) ? result : trace_pattern(p, &trace_default_session, a);
}

Term erts_internal_trace_pattern_4(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    TraceSession *s = trace_session_of(a[0]);
    return s != NULL ? trace_pattern(p, s, a + 1) : trace_session_badarg(p);
}

Term erts_debug_breakpoint_2(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    PatternChange change = {
        .session = &trace_default_session,
        .verb = a[1] == am_true ? PATTERN_ON : PATTERN_OFF,
        .kinds = BP_DEBUG,
        .meta_tracer = TRACER_NOBODY,
    };
    bool good = (a[1] == am_true || a[1] == am_false) && read_functions(a[0], &change);
    return good ? with_permission(p, &change, change_pattern) : fail_badarg(p);
}
