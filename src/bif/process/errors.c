/*
 * Raising exceptions. Source: erlang(3) error/1,2,3, exit/1, throw/1, raise/3, nif_error/1,2.
 *
 * error, exit and throw do not appear in the stack trace: it begins with their caller, whose entry holds the argument
 * list and error_info that error/2 and error/3 were given. nif_error does appear.
 */
#include "bif/argument.h"
#include "bif_table.h"
#include "emu/exception.h"
#include "term/atom.h"

static Term fail_in_caller(Process *p, FailReason reason, Term value) {
    fail_value(p, reason, value);
    p->fail.from_caller = true;
    return NON_VALUE;
}

Term erlang_throw_1(Process *p, const Term *a) { return fail_in_caller(p, FAIL_THROW, a[0]); }
Term erlang_exit_1(Process *p, const Term *a) { return fail_in_caller(p, FAIL_EXIT, a[0]); }
Term erlang_error_1(Process *p, const Term *a) { return fail_in_caller(p, FAIL_ERROR, a[0]); }

/* Anything but a list of arguments (`none`, as a rule) leaves the caller's arity in the trace. */
static void set_arguments(Process *p, Term arguments) {
    if (is_list(arguments) || is_nil(arguments))
        p->fail.arguments = arguments;
}

Term erlang_error_2(Process *p, const Term *a) {
    fail_in_caller(p, FAIL_ERROR, a[0]);
    set_arguments(p, a[1]);
    return NON_VALUE;
}

/* The last counts, and none where one is wrong. */
static Term option_error_info(Term options) {
    Term info = NON_VALUE;
    for (; is_list(options); options = list_tail(options)) {
        if (!is_tuple_arity(list_head(options), 2))
            return NON_VALUE;
        const Term *pair = tuple_elements(list_head(options));
        if (pair[0] != am_error_info || !is_map(pair[1]))
            return NON_VALUE;
        info = pair[1];
    }
    return is_nil(options) ? info : NON_VALUE;
}

Term erlang_error_3(Process *p, const Term *a) {
    fail_in_caller(p, FAIL_ERROR, a[0]);
    set_arguments(p, a[1]);
    p->fail.error_info = option_error_info(a[2]);
    return NON_VALUE;
}

Term erlang_nif_error_1(Process *p, const Term *a) { return fail_value(p, FAIL_ERROR, a[0]); }
Term erlang_nif_error_2(Process *p, const Term *a) { return fail_value(p, FAIL_ERROR, a[0]); }

/*
 * An entry of a stack trace in its full form, or NON_VALUE when it is none: {M, F, ArityOrArguments, Location},
 * {Fun, ArityOrArguments, Location}, or either without its location.
 */
static Term trace_entry(Process *p, Term entry) {
    if (!is_tuple(entry))
        return NON_VALUE;
    const Term *e = tuple_elements(entry);
    size_t arity = tuple_arity(entry);
    bool named = arity >= 3 && is_atom(e[0]) && is_atom(e[1]), of_fun = arity >= 2 && is_fun(e[0]);
    size_t full = named ? 4 : of_fun ? 3 : 0;
    if (full == 0 || (arity != full && arity != full - 1))
        return NON_VALUE;
    if (arity == full)
        return is_list(e[full - 1]) || is_nil(e[full - 1]) ? entry : NON_VALUE;
    return named ? area_tuple4(process_area(p), e[0], e[1], e[2], NIL) : area_tuple3(process_area(p), e[0], e[1], NIL);
}

/* The stack trace, no deeper than system_flag(backtrace_depth), with every entry in its full form; the same list when
 * nothing has to change. NON_VALUE when it is no trace. */
static Term full_trace(Process *p, Term trace) {
    int64_t length = list_length(trace), depth = exception_depth ? exception_depth : 1;
    int64_t kept = length < depth ? length : depth, n = 0;
    if (length < 0)
        return NON_VALUE;
    Term reversed = NIL, result = NIL;
    bool changed = kept < length;
    for (Term list = trace; is_list(list); list = list_tail(list)) {
        Term entry = trace_entry(p, list_head(list));
        if (!is_value(entry))
            return NON_VALUE;
        changed |= entry != list_head(list);
        if (n++ < kept)
            reversed = area_cons(process_area(p), entry, reversed);
    }
    for (; changed && is_list(reversed); reversed = list_tail(reversed))
        result = area_cons(process_area(p), list_head(reversed), result);
    return changed ? result : trace;
}

/* Bad arguments make it return the atom badarg: so the manual says. */
Term erlang_raise_3(Process *p, const Term *a) {
    if (a[0] != am_error && a[0] != am_exit && a[0] != am_throw)
        return am_badarg;
    Term trace = full_trace(p, a[2]);
    if (!is_value(trace))
        return am_badarg;
    fail_value(p, FAIL_RAISE, a[1]);
    p->fail.class = a[0];
    p->fail.trace = trace;
    return NON_VALUE;
}
