/*
 * Raising exceptions. Source: erlang(3) error/1,2,3, exit/1, throw/1, raise/3, nif_error/1,2.
 *
 * error, exit and throw do not appear in the stack trace: it begins with their caller, whose entry holds the argument
 * list and error_info that error/2 and error/3 were given. nif_error does appear.
 */
#include "bif/argument.h"
#include "bif_table.h"
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
    if (list_length(arguments) >= 0)
        p->fail.arguments = arguments;
}

Term erlang_error_2(Process *p, const Term *a) {
    fail_in_caller(p, FAIL_ERROR, a[0]);
    set_arguments(p, a[1]);
    return NON_VALUE;
}

static Term option_error_info(Term options) {
    for (; is_list(options); options = list_tail(options)) {
        if (!is_tuple_arity(list_head(options), 2))
            continue;
        const Term *pair = tuple_elements(list_head(options));
        if (pair[0] == am_error_info && is_map(pair[1]))
            return pair[1];
    }
    return NON_VALUE;
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
    if (arity == full)
        return is_list(e[full - 1]) || is_nil(e[full - 1]) ? entry : NON_VALUE;
    if (full == 0 || arity != full - 1)
        return NON_VALUE;
    return named ? area_tuple4(process_area(p), e[0], e[1], e[2], NIL) : area_tuple3(process_area(p), e[0], e[1], NIL);
}

/* The stack trace with every entry in its full form, the same list when all are; NON_VALUE when it is no trace. */
static Term full_trace(Process *p, Term trace) {
    int64_t length = list_length(trace);
    if (length <= 0)
        return length == 0 ? NIL : NON_VALUE;
    Term *cells = area_alloc(process_area(p), 2 * (size_t)length), *to = cells;
    for (Term list = trace; is_list(list); list = list_tail(list), to += 2) {
        to[0] = NIL;
        to[1] = is_list(list_tail(list)) ? list_make(to + 2) : NIL;
    }
    to = cells;
    bool changed = false;
    for (Term list = trace; is_list(list); list = list_tail(list), to += 2) {
        Term entry = trace_entry(p, list_head(list));
        if (!is_value(entry))
            return NON_VALUE;
        changed |= entry != list_head(list);
        to[0] = entry;
    }
    return changed ? list_make(cells) : trace;
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
