#include "emu/call.h"

#include "code/breakpoint.h"
#include "code/module.h"
#include "emu/exception.h"
#include "emu/interp.h"
#include "process/sampling.h"
#include "process/trace_point.h"
#include "replace/purge.h"
#include "term/atom.h"

static const Word *push(Process *p, const Word *next) {
    if (next != NULL)
        *--p->heap.area.limit = return_address_make(next);
    return next;
}

/* The place that a trace names is the instruction that called, so a raise comes before the push. */
static const Word *raise_here(Process *p, Term *x) { return exception_raise(p, x, p->ip, NULL, NULL); }

bool emu_slice_goes_on(Process *p, bool enters) {
    return p->saved_calls != NULL ? saved_calls_go_on(p) : sampling_go_on(p, enters);
}

bool emu_slice_is_over(Process *p) { return --p->reductions <= 0 && !emu_slice_goes_on(p, true); }

static const Word *enter(Process *p, Term *x, const Word *entry, unsigned arity, const Word *next) {
    push(p, next);
    return emu_slice_is_over(p) ? emu_end_slice(p, x, entry, arity) : entry;
}

static const Word *enter_export(Process *p, Term *x, const Export *e, const Word *next) {
    if (unlikely(p->saved_calls != NULL))
        saved_calls_add(p, e);
    return enter(p, x, export_address(e), e->arity, next);
}

/* Calls `function` of the process's error handler with three arguments. */
static const Word *ask_error_handler(Process *p, Term *x, Term function, const Term arguments[3]) {
    Export *handler = export_put(p->error_handler, function, 3);
    if (!export_is_defined(handler))
        return NULL;
    for (unsigned i = 0; i < 3; i++)
        x[i] = arguments[i];
    if (emu_bif_left_mess(p) && !emu_collect(p, x, 0, 3))
        return raise_here(p, x);
    if (unlikely(p->saved_calls != NULL))
        saved_calls_add(p, handler);
    return export_address(handler);
}

static const Word *raise_undef(Process *p, Term *x, Term module, Term function, Term arguments) {
    fail_with(p, FAIL_UNDEF);
    Area *area = process_area(p);
    Term entry = area_tuple4(area, module, function, arguments, NIL);
    return exception_raise_first(p, x, entry);
}

const Word *emu_undefined_function(Process *p, Term *x, const Export *e) {
    Term list = area_list(process_area(p), x, e->arity);
    const Word *handler = ask_error_handler(p, x, am_undefined_function, (Term[]){e->module, e->function, list});
    return handler != NULL ? handler : raise_undef(p, x, e->module, e->function, list);
}

const Word *emu_debugged_function(Process *p, Term *x, const FunctionHeader *f) {
    Term list = area_list(process_area(p), x, (unsigned)f->arity);
    const Word *handler = ask_error_handler(p, x, am_breakpoint, (Term[]){f->module, f->function, list});
    return handler != NULL ? handler : raise_undef(p, x, f->module, f->function, list);
}

const Word *emu_bif_missing(Process *p, Term *x, const Export *e) {
    return raise_undef(p, x, e->module, e->function, area_list(process_area(p), x, e->arity));
}

const Word *emu_function_clause(Process *p, Term *x, const Word *func_info) {
    const FunctionHeader *f = function_of_info(func_info);
    Term list = area_list(process_area(p), x, (unsigned)f->arity);
    fail_with(p, FAIL_FUNCTION_CLAUSE);
    p->fail.arguments = list;
    return exception_raise(p, x, func_info, NULL, NULL);
}

/* A call of a fun that failed as if it had been made: as on stock the caller shows twice where its frame stays, as the
 * place of the call and as where that would have returned. Comes before anything is built: one word is there for the
 * return address, and what is built may take all that is left. */
static bool push_failed_call(Process *p, const Word *next, CodePlace *place) {
    return next != NULL && range_place(p->ip, place) && push(p, next);
}

static const Word *raise_failed_call(Process *p, Term *x, const CodePlace *place) {
    Term arity = small_make((SWord)place->function->arity);
    return exception_raise_first(p, x, stacktrace_entry(process_area(p), place, arity, NIL));
}

/* There is other code of the fun's module. */
static const Word *raise_without_code(Process *p, Term *x, Term fun, const Word *next) {
    CodePlace place;
    fail_value(p, FAIL_BADFUN, fun);
    return push_failed_call(p, next, &place) ? raise_failed_call(p, x, &place) : raise_here(p, x);
}

/* The fun's module is not loaded: error_handler:undefined_lambda(Module, Fun, Args). */
static const Word *undefined_lambda(Process *p, Term *x, Term fun, unsigned arity, const Word *next) {
    const Module *m = module_find(fun_ptr(fun)->entry->module);
    if (m != NULL && module_current(m) != NULL)
        return raise_without_code(p, x, fun, next);
    Term list = area_list(process_area(p), x, arity);
    const Export *handler = export_put(p->error_handler, am_undefined_lambda, 3);
    if (!export_is_defined(handler)) {
        fail_with(p, FAIL_UNDEF);
        return raise_here(p, x);
    }
    x[0] = fun_ptr(fun)->entry->module;
    x[1] = fun;
    x[2] = list;
    if (emu_bif_left_mess(p) && !emu_collect(p, x, 0, 3))
        return raise_here(p, x);
    return enter_export(p, x, handler, next);
}

/* The fun's code is being purged. When that is over, erts_code_purger:pending_purge_lambda(Module, Fun, Args). */
static const Word *stop_for_purge(Process *p, Term *x, Term fun, unsigned arity, const Word *next) {
    const Export *handler = export_put(am_erts_code_purger, am_pending_purge_lambda, 3);
    x[2] = area_list(process_area(p), x, arity);
    x[1] = fun;
    x[0] = fun_ptr(fun)->entry->module;
    if (emu_bif_left_mess(p) && !emu_collect(p, x, 0, 3))
        return raise_here(p, x);
    push(p, next);
    return emu_stop(p, x, STOP_SUSPEND, export_address(handler), 3);
}

static const Word *call_local_fun(Process *p, Term *x, Term t, unsigned arity, const Word *next) {
    const Fun *fun = fun_ptr(t);
    const Word *address = __atomic_load_n(&fun->entry->address, __ATOMIC_ACQUIRE);
    if (address == fun_error_address)
        return undefined_lambda(p, x, t, arity, next);
    if (address == fun_pending_address)
        return purge_wait(p, fun->entry) ? stop_for_purge(p, x, t, arity, next) : call_local_fun(p, x, t, arity, next);
    size_t free_count = fun_free_count(t);
    for (size_t i = 0; i < free_count; i++)
        x[arity + i] = fun->env[i];
    return enter(p, x, address, arity + (unsigned)free_count, next);
}

static void set_bad_fun(Process *p, const Term *x, Term fun, unsigned arity) {
    if (is_fun(fun))
        fail_value(p, FAIL_BADARITY, area_tuple2(process_area(p), fun, area_list(process_area(p), x, arity)));
    else
        fail_value(p, FAIL_BADFUN, fun);
}

static const Word *bad_fun(Process *p, Term *x, Term fun, unsigned arity, const Word *next) {
    CodePlace place;
    bool is_pushed = push_failed_call(p, next, &place);
    set_bad_fun(p, x, fun, arity);
    return is_pushed ? raise_failed_call(p, x, &place) : raise_here(p, x);
}

const Word *emu_call_fun(Process *p, Term *x, Term fun, unsigned arity, const Word *next) {
    if (is_local_fun(fun) && fun_ptr(fun)->entry->arity == arity)
        return call_local_fun(p, x, fun, arity, next);
    if (is_export_fun(fun)) {
        const Export *e = ((const ExportFun *)boxed_ptr(fun))->export;
        if (e->arity == arity)
            return enter_export(p, x, e, next);
    }
    return bad_fun(p, x, fun, arity, next);
}

static bool fun_takes(Term fun, unsigned arity) { return emu_is_function_arity(fun, small_make(arity)); }

const Word *emu_call_fun_last(Process *p, Term *x, Term fun, unsigned arity, unsigned drop) {
    if (!fun_takes(fun, arity))
        return bad_fun(p, x, fun, arity, NULL);
    p->heap.area.limit += drop;
    return emu_call_fun(p, x, fun, arity, NULL);
}

/* erlang:apply/3 was given something else than atoms and a list: badarg, with its own entry in the trace. */
static const Word *bad_apply(Process *p, Term *x, Term module, Term function, Term arguments) {
    fail_badarg(p);
    Term a[3] = {module, function, arguments};
    return exception_raise(p, x, p->ip, export_put(am_erlang, am_apply, 3), a);
}

static const Word *apply_fun(Process *p, Term *x, bool by_name, const Word *next);

static bool always_raises(Term module, Term function, unsigned arity) {
    return module == am_erlang && ((function == am_error && arity >= 1 && arity <= 3) ||
                                   ((function == am_exit || function == am_throw) && arity == 1));
}

/* Does somebody trace erlang:apply/2? Then it is a function like others: the body in the module erlang. */
static const Export *traced_apply(void) {
    if (likely(!atomic_load_explicit(&trace_is_in_use, memory_order_relaxed)))
        return NULL;
    const Export *e = export_put(am_erlang, am_apply, 2);
    unsigned index = code_active();
    const Word *target = export_target(e, index);
    if (target == e->trampoline[index])
        return NULL;
    return export_is_traced(e, index) || breakpoint_at(function_of_entry(target)) != NULL ? e : NULL;
}

/* Arguments are in x[0..arity). erlang:apply/2,3 by name are done here, without their bodies. */
static const Word *apply(Process *p, Term *x, Term module, Term function, unsigned arity, const Word *next) {
    if (module == am_erlang && function == am_apply) {
        if (arity == 3)
            return emu_apply_list(p, x, next);
        const Export *traced = arity == 2 ? traced_apply() : NULL;
        if (arity == 2)
            return traced != NULL ? enter_export(p, x, traced, next) : apply_fun(p, x, true, next);
    }
    if (module == am_erlang && function == am_hibernate && arity == 3)
        return emu_hibernate(p, x); /* no function with a body either; it never returns */
    if (always_raises(module, function, arity)) {
        if (next == NULL)
            next = p->ip + 1; /* nobody goes on there: the caller shows in the trace, as the stock runtime has it */
        return enter_export(p, x, export_put(module, function, arity), next);
    }
    const Export **slot = applied_slot(x, module, function, arity);
    if (!is_applied(*slot, module, function, arity))
        *slot = export_put(module, function, arity);
    return enter_export(p, x, *slot, next);
}

const Word *emu_apply(Process *p, Term *x, unsigned arity, const Word *next) {
    Term module = x[arity], function = x[arity + 1];
    if (!is_atom(module) || !is_atom(function))
        return bad_apply(p, x, module, function, area_list(process_area(p), x, arity));
    return apply(p, x, module, function, arity, next);
}

/* As many arguments as the stock runtime takes; functions of more than 255 there are none. apply/2 needs a register. */
#define APPLY_MAX (X_REGISTERS - 1)
#define APPLY_FUN_MAX (X_REGISTERS - 2)

/* Spreads the list to `to`; -1: no proper list; max + 1: it is longer. */
static int spread(Term list, Term *to, int max) {
    int count = 0;
    for (; is_list(list); list = list_tail(list)) {
        if (count == max)
            return max + 1;
        to[count++] = list_head(list);
    }
    return list == NIL ? count : -1;
}

/* erlang:apply failed, and shows in the trace with its arguments. */
static const Word *apply_failed(Process *p, Term *x, FailReason reason, unsigned arity, const Term *arguments) {
    fail_with(p, reason);
    return exception_raise(p, x, p->ip, export_put(am_erlang, am_apply, arity), arguments);
}

const Word *emu_apply_list(Process *p, Term *x, const Word *next) {
    for (;;) {
        Term a[3] = {x[0], x[1], x[2]}, spare[APPLY_MAX];
        int arity = spread(a[2], spare, APPLY_MAX);
        if (!is_atom(a[0]) || !is_atom(a[1]) || arity < 0)
            return apply_failed(p, x, FAIL_BADARG, 3, a);
        if (arity > APPLY_MAX)
            return apply_failed(p, x, FAIL_SYSTEM_LIMIT, 3, a);
        for (int i = 0; i < arity; i++)
            x[i] = spare[i];
        if (a[0] != am_erlang || a[1] != am_apply || arity != 3)
            return apply(p, x, a[0], a[1], (unsigned)arity, next);
    }
}

const Word *emu_apply_list_last(Process *p, Term *x, unsigned drop) {
    p->heap.area.limit += drop;
    return emu_apply_list(p, x, NULL);
}

/* The call of apply/2 was made, and shows in the trace: as the place of the call, or as the function itself. */
static const Word *bad_fun_applied(Process *p, Term *x, Term fun, unsigned arity, bool by_name, const Word *next) {
    CodePlace place;
    bool is_at_place = !by_name && range_place(p->ip, &place);
    push(p, next);
    set_bad_fun(p, x, fun, arity);
    if (is_at_place)
        return raise_failed_call(p, x, &place);
    return exception_raise_first(p, x, area_tuple4(process_area(p), am_erlang, am_apply, small_make(2), NIL));
}

static const Word *apply_fun(Process *p, Term *x, bool by_name, const Word *next) {
    Term a[2] = {x[0], x[1]}, spare[APPLY_FUN_MAX];
    int arity = spread(a[1], spare, APPLY_FUN_MAX);
    if (arity < 0 || arity > APPLY_FUN_MAX)
        return apply_failed(p, x, arity < 0 ? FAIL_BADARG : FAIL_SYSTEM_LIMIT, 2, a);
    for (int i = 0; i < arity; i++)
        x[i] = spare[i];
    if (fun_takes(a[0], (unsigned)arity))
        return emu_call_fun(p, x, a[0], (unsigned)arity, next);
    return bad_fun_applied(p, x, a[0], (unsigned)arity, by_name, next);
}

const Word *emu_apply_fun(Process *p, Term *x, const Word *next) { return apply_fun(p, x, false, next); }

const Word *emu_apply_fun_last(Process *p, Term *x, unsigned drop) {
    p->heap.area.limit += drop;
    return emu_apply_fun(p, x, NULL);
}

bool emu_is_function_arity(Term t, Term arity) {
    if (!is_fun(t) || !is_small(arity))
        return false;
    uint32_t n = is_local_fun(t) ? fun_ptr(t)->entry->arity : ((const ExportFun *)boxed_ptr(t))->export->arity;
    return small_value(arity) == (SWord)n;
}

const Word *emu_leave_receive(Process *p, Term *x) {
    return process_is_exiting(p) ? raise_here(p, x) : emu_stop(p, x, STOP_SUSPEND, p->ip, 0);
}

/* FAIL_NONE when M:F can be applied to the list later. */
static FailReason check_hibernation(const Term *x) {
    size_t count = 0;
    Term l = x[2];
    for (; is_list(l); l = list_tail(l))
        if (++count > X_REGISTERS)
            return is_atom(x[0]) && is_atom(x[1]) ? FAIL_SYSTEM_LIMIT : FAIL_BADARG;
    return is_atom(x[0]) && is_atom(x[1]) && l == NIL ? FAIL_NONE : FAIL_BADARG;
}

const Word *emu_hibernate(Process *p, Term *x) {
    FailReason bad = check_hibernation(x);
    if (bad != FAIL_NONE) {
        fail_with(p, bad);
        return exception_raise(p, x, p->ip, export_put(am_erlang, am_hibernate, 3), x);
    }
    p->heap.area.limit = p->heap.end;
    *--p->heap.area.limit = return_address_make(process_entries.exit_normal);
    p->catches = 0;
    bool may_sleep = receive_may_sleep(p);
    if (process_is_exiting(p))
        return emu_stop(p, x, STOP_EXIT, NULL, 0);
    if (!may_sleep)
        return process_is_suspended(p) ? emu_stop(p, x, STOP_SUSPEND, process_entries.apply, 3) : process_entries.apply;
    p->flags |= FLAG_HIBERNATED;
    if (!process_collect_kind(p, 0, x, 3, COLLECT_HIBERNATE))
        return emu_stop(p, x, STOP_EXIT, NULL, 0);
    return emu_stop(p, x, STOP_WAIT, process_entries.apply, 3);
}
