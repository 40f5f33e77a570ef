#include "emu/exception.h"

#include "emu/interp.h"
#include "emu/stop.h"
#include "process/trace_point.h"
#include "sys/release.h"

static Term wrapped(Process *p, Term tag) { return area_tuple2(process_area(p), tag, p->fail.value); }

static Term value_of_failure(Process *p) {
    switch (p->fail.reason) {
    case FAIL_BADARG: return am_badarg;
    case FAIL_BADARITH: return am_badarith;
    case FAIL_SYSTEM_LIMIT: return am_system_limit;
    case FAIL_UNDEF: return am_undef;
    case FAIL_FUNCTION_CLAUSE: return am_function_clause;
    case FAIL_IF_CLAUSE: return am_if_clause;
    case FAIL_NOPROC: return am_noproc;
    case FAIL_NOTALIVE: return am_notalive;
    case FAIL_NOTSUP: return am_notsup;
    case FAIL_TIMEOUT_VALUE: return am_timeout_value;
    case FAIL_BADMATCH: return wrapped(p, am_badmatch);
    case FAIL_CASE_CLAUSE: return wrapped(p, am_case_clause);
    case FAIL_TRY_CLAUSE: return wrapped(p, am_try_clause);
    case FAIL_BADFUN: return wrapped(p, am_badfun);
    case FAIL_BADARITY: return wrapped(p, am_badarity);
    case FAIL_BADMAP: return wrapped(p, am_badmap);
    case FAIL_BADKEY: return wrapped(p, am_badkey);
    case FAIL_BADRECORD: return wrapped(p, am_badrecord);
    default: return p->fail.value;
    }
}

static Term class_of_failure(const Process *p) {
    switch (p->fail.reason) {
    case FAIL_EXIT: return am_exit;
    case FAIL_THROW: return am_throw;
    case FAIL_RAISE: return p->fail.class;
    default: return am_error;
    }
}

/* Most that are caught are not looked at: what can be made of the function later is. */
static Term bif_entry(Process *p, const Export *bif, const Term *arguments) {
    Area *area = process_area(p);
    Term list = p->fail.call != NULL ? p->fail.arguments : area_list(area, arguments, bif->arity);
    if (p->fail.call != NULL)
        bif = p->fail.call;
    Term location = NIL;
    if (class_of_failure(p) == am_error) {
        if (!is_value(p->fail.info_module) && !is_value(p->fail.cause))
            return area_tuple2(area, small_make((SWord)(uintptr_t)bif), list);
        Term module = is_value(p->fail.info_module) ? p->fail.info_module : stacktrace_explainer(bif->module);
        location = stacktrace_error_info(area, module, p->fail.cause);
    }
    return area_tuple4(area, bif->module, bif->function, list, location);
}

/* The trace whose first entry, that of the function at I, says more than its place: arguments or error_info. A function
 * that was applied or called last stands at no address of code: then it is the one that it returns to. */
static Term told_trace(Process *p, const Word *I) {
    Area *area = process_area(p);
    CodePlace place;
    if (!range_place(I, &place) && (!(I = stacktrace_caller(p)) || !range_place(I, &place)))
        return stacktrace_raw(p, class_of_failure(p), NULL, NIL);
    Term more = NIL;
    if (is_value(p->fail.error_info))
        more = area_cons(area, area_tuple2(area, am_error_info, p->fail.error_info), NIL);
    Term arity = is_value(p->fail.arguments) ? p->fail.arguments : small_make((SWord)place.function->arity);
    Term raw = stacktrace_raw_told(p, class_of_failure(p), I, stacktrace_entry(area, &place, arity, more));
    return p->fail.reason == FAIL_FUNCTION_CLAUSE ? stacktrace_raw_unplaced(p, raw) : raw;
}

static Term trace_of_failure(Process *p, const Word *I, const Export *bif, const Term *arguments) {
    Term class = class_of_failure(p);
    if (p->fail.reason == FAIL_RAISE)
        return area_tuple3(process_area(p), class, p->fail.trace, NIL);
    if (bif != NULL)
        return stacktrace_raw(p, class, I, bif_entry(p, bif, arguments));
    if (is_value(p->fail.arguments) || is_value(p->fail.error_info))
        return told_trace(p, I);
    return stacktrace_raw(p, class, I, NIL);
}

/* A throw that is not caught is an error. */
static Term uncaught_value(Process *p, Term class, Term value) {
    return class == am_throw ? area_tuple2(process_area(p), am_nocatch, value) : value;
}

static Term exit_reason_for(Process *p, Term class, Term value, Term raw) {
    if (class == am_exit)
        return value;
    return area_tuple2(process_area(p), uncaught_value(p, class, value), exception_stacktrace(p, raw));
}

/* Of one that has been told to exit meanwhile that reason stays. */
static const Word *uncaught(Process *p, Term *x, Term class, Term value, Term raw) {
    if (likely(!process_is_exiting(p))) {
        p->exit_reason = exit_reason_for(p, class, value, raw);
        p->exit_class = class;
    }
    return emu_stop(p, x, STOP_EXIT, NULL, 0);
}

/* The newest catch on the stack; the stack is cut so that its frame is on top. */
static const Word *unwind(Process *p) {
    Term *slot = p->heap.area.limit;
    Term *frame = slot;
    for (; slot < p->heap.end; slot++) {
        if (is_return_address(*slot))
            frame = slot + 1;
        else if (is_catch(*slot)) {
            p->heap.area.limit = frame;
            return catch_handler(*slot);
        }
    }
    return NULL;
}

/* The part of the stack from `from` to `to` is passed, and it goes on at `at` (NULL: nobody caught it). The stack that
 * goes is kept until all of it has been told. */
static void tell_frames(Process *p, const Term *from, const Term *to, const Word *at, Term class, Term value) {
    Term *limit = p->heap.area.limit;
    p->heap.area.limit = (Term *)from;
    if (trace_frames_raised(p, from, to, class, value) && at != NULL)
        trace_points.caught(p, from, to, at);
    p->heap.area.limit = limit;
}

/* To who traces the calls that it ends. One that is not caught was, as on the stock runtime, once not told to meta
 * tracers alone, nor of a process that is sensitive. */
static void tell(Process *p, const Term *from, const Word *handler, Term class, Term value) {
    if (handler != NULL)
        tell_frames(p, from, p->heap.area.limit, handler, class, value);
    else if (p->trace_flags != 0 || release_has(RELEASE_UNCAUGHT_TOLD))
        tell_frames(p, from, p->heap.end, NULL, class == am_throw ? am_error : class, uncaught_value(p, class, value));
}

const Word *exception_raise_raw(Process *p, Term *x, Term class, Term value, Term raw) {
    const Term *from = p->heap.area.limit;
    const Word *handler = p->catches > 0 ? unwind(p) : NULL;
    if (unlikely(atomic_load_explicit(&trace_is_in_use, memory_order_relaxed)))
        tell(p, from, handler, class, value);
    if (handler == NULL)
        return uncaught(p, x, class, value, raw);
    x[0] = NON_VALUE;
    x[1] = class;
    x[2] = value;
    x[3] = raw;
    if (emu_bif_left_mess(p) && !emu_collect(p, x, 0, 4))
        return emu_stop(p, x, STOP_EXIT, NULL, 0);
    return handler;
}

const Word *exception_raise(Process *p, Term *x, const Word *I, const Export *bif, const Term *arguments) {
    if (p->fail.reason == FAIL_EXITING)
        return emu_stop(p, x, STOP_EXIT, NULL, 0);
    Term raw = trace_of_failure(p, I, bif, arguments);
    return exception_raise_raw(p, x, class_of_failure(p), value_of_failure(p), raw);
}

const Word *exception_raise_first(Process *p, Term *x, Term entry) {
    Term class = class_of_failure(p);
    return exception_raise_raw(p, x, class, value_of_failure(p), stacktrace_raw(p, class, NULL, entry));
}

Term exception_class(Term raw) { return tuple_elements(raw)[0]; }

/* Of a function whose clauses did not match the stock runtime knows the place until somebody raises that again. */
static Term first_of_again(Process *p, Term raw) {
    Term first = tuple_elements(raw)[1];
    if (tuple_arity(raw) == 3 || first == NIL)
        return first;
    const Term *entry = tuple_elements(first);
    return area_tuple4(process_area(p), entry[0], entry[1], entry[2], NIL);
}

Term exception_with_class(Process *p, Term class, Term raw) {
    if (class != am_error && class != am_exit && class != am_throw)
        return NON_VALUE;
    const Term *parts = tuple_elements(raw);
    if (parts[0] == class && tuple_arity(raw) == 3)
        return raw;
    return area_tuple3(process_area(p), class, first_of_again(p, raw), parts[2]);
}

Term exception_for_catch(Process *p, Term class, Term value, Term raw) {
    Area *area = process_area(p);
    if (class == am_throw)
        return value;
    if (class == am_error)
        value = area_tuple2(area, value, exception_stacktrace(p, raw));
    return area_tuple2(area, am_EXIT, value);
}
