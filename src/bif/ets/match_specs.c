/*
 * Match specifications as values: compiled ones behind references, running them over lists, and testing them.
 * Source: ets(3) match_spec_compile/1, match_spec_run/2, test_ms/2; the form of match_spec_test's answers is OTP 25's.
 */
#include "bif/ets/ets.h"

#include "base/long_work.h"
#include "bif/argument.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "heap/copy.h"
#include "term/atom.h"
#include "trace/action.h"

#include <string.h>

static bool compiled_destroy(RefcBinary *binary) {
    match_spec_free(*(MatchSpec **)binary->bytes);
    return true;
}

MatchSpec *ets_compiled(Term t) {
    MatchSpec **spec = native_object(t, compiled_destroy);
    return spec ? *spec : NULL;
}

Term ets_compiled_make(Process *p, MatchSpec *spec) {
    void *object;
    Term reference = native_new(p, sizeof spec, compiled_destroy, &object);
    *(MatchSpec **)object = spec;
    return reference;
}

Term ets_bad_spec(Process *p, MatchVerdict verdict) {
    return verdict == MATCH_TOO_DEEP ? fail_system_limit(p) : ets_badarg(p);
}

Term ets_match_spec_compile(Process *p, const Term *a) {
    MatchSpec *spec;
    MatchVerdict verdict = match_spec_compile(a[0], MATCH_TABLE, &spec, NULL);
    return verdict == MATCH_GOOD ? ets_compiled_make(p, spec) : ets_bad_spec(p, verdict);
}

Term ets_is_compiled_ms(Process *p, const Term *a) { return bool_term(ets_compiled(a[0]) != NULL); }

#define UNITS_PER_RUN 50 /* of long work */

/* The results in front of the third argument, the last first. */
Term ets_match_spec_run_r(Process *p, const Term *a) {
    MatchSpec *spec = ets_compiled(a[1]);
    if (!spec || list_length(a[0]) < 0)
        return ets_badarg(p);
    MatchRun run;
    Area *area = process_area(p);
    Term list = a[2];
    match_run_init(&run, spec, area, p->pid);
    int64_t count = 0;
    for (Term l = a[0]; is_list(l); l = list_tail(l), count++) {
        Term result = match_run(&run, list_head(l));
        long_work_count(UNITS_PER_RUN);
        if (is_value(result))
            list = area_cons(area, result, list);
    }
    match_run_release(&run);
    process_bump(p, count);
    return list;
}

static Term error_list(Process *p, const MatchErrors *errors) {
    Area *area = process_area(p);
    Term list = NIL;
    for (size_t i = errors->count; i-- > 0;) {
        Term text = list_from_bytes(area, errors->texts[i], strlen(errors->texts[i]), NIL);
        list = area_cons(area, area_tuple2(area, am_error, text), list);
    }
    return list;
}

static Term test_object(Process *p, const MatchSpec *spec, Term object) {
    MatchRun run;
    match_run_init(&run, spec, process_area(p), p->pid);
    Term result = match_run(&run, object);
    match_run_release(&run);
    return result;
}

/* An improper list of arguments is as good as one without its tail. */
static Term proper_list(Process *p, Term list) {
    if (list_length(list) >= 0)
        return list;
    Term proper = NIL, *last = &proper;
    for (; is_list(list); list = list_tail(list)) {
        *last = area_cons(process_area(p), list_head(list), NIL);
        last = list_ptr(*last) + 1;
    }
    return proper;
}

/* As if the process had called a function with the arguments: the actions are done, and what would be told counts. */
static Term test_call(Process *p, MatchSpec *spec, Term arguments, Term *flags) {
    MatchProgram program = {.spec = spec};
    ProgramRun run = {.p = p, .session = &trace_default_session, .is_test = true};
    program_run(&program, &run, arguments);
    if (run.exception_trace)
        *flags = area_cons(process_area(p), am_exception_trace, *flags);
    if (run.return_trace)
        *flags = area_cons(process_area(p), am_return_trace, *flags);
    return run.matched ? run.message : am_false;
}

Term match_spec_test(Process *p, const Term *a) {
    bool trace = a[2] == am_trace;
    if ((!trace && a[2] != am_table) || (trace && !is_list(a[0]) && !is_nil(a[0])))
        return fail_badarg(p);
    Area *area = process_area(p);
    MatchErrors errors = {0};
    MatchSpec *spec;
    if (match_spec_compile(a[1], trace ? MATCH_TRACE : MATCH_TABLE, &spec, &errors) != MATCH_GOOD) {
        Term list = error_list(p, &errors);
        match_errors_release(&errors);
        return area_tuple2(area, am_error, list);
    }
    Term flags = NIL, result = trace ? test_call(p, spec, proper_list(p, a[0]), &flags) : test_object(p, spec, a[0]);
    match_spec_free(spec);
    return area_tuple4(area, am_ok, is_value(result) ? result : am_false, flags, NIL);
}
