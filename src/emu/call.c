#include "emu/call.h"

#include "emu/exception.h"
#include "emu/interp.h"
#include "term/atom.h"

static const Word *push(Process *p, const Word *next) {
    if (next != NULL)
        *--p->heap.area.limit = return_address_make(next);
    return next;
}

/* The place that a trace names is the instruction that called, so a raise comes before the push. */
static const Word *raise_here(Process *p, Term *x) { return exception_raise(p, x, p->ip, NULL, NULL); }

static const Word *enter(Process *p, Term *x, const Word *entry, unsigned arity, const Word *next) {
    push(p, next);
    if (--p->reductions <= 0)
        return emu_stop(p, x, STOP_YIELD, entry, arity);
    return entry;
}

Term emu_list_of(Process *p, const Term *x, unsigned count) {
    Term list = NIL;
    if (count == 0)
        return list;
    Term *cells = area_alloc(process_area(p), 2 * (size_t)count);
    for (unsigned i = count; i-- > 0;) {
        cells[2 * i] = x[i];
        cells[2 * i + 1] = list;
        list = list_make(cells + 2 * i);
    }
    return list;
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
    return export_address(handler);
}

static const Word *raise_undef(Process *p, Term *x, Term module, Term function, Term arguments) {
    fail_with(p, FAIL_UNDEF);
    Area *area = process_area(p);
    Term entry = area_tuple4(area, module, function, arguments, NIL);
    return exception_raise_first(p, x, entry);
}

const Word *emu_undefined_function(Process *p, Term *x, const Export *e) {
    Term list = emu_list_of(p, x, e->arity);
    const Word *handler = ask_error_handler(p, x, am_undefined_function, (Term[]){e->module, e->function, list});
    return handler != NULL ? handler : raise_undef(p, x, e->module, e->function, list);
}

const Word *emu_bif_missing(Process *p, Term *x, const Export *e) {
    return raise_undef(p, x, e->module, e->function, emu_list_of(p, x, e->arity));
}

const Word *emu_function_clause(Process *p, Term *x, const Word *func_info) {
    const FunctionHeader *f = function_of_info(func_info);
    Term list = emu_list_of(p, x, (unsigned)f->arity);
    fail_with(p, FAIL_FUNCTION_CLAUSE);
    p->fail.arguments = list;
    return exception_raise(p, x, func_info, NULL, NULL);
}

/* The fun's module is not loaded: error_handler:undefined_lambda(Module, Fun, Args). */
static const Word *undefined_lambda(Process *p, Term *x, Term fun, unsigned arity, const Word *next) {
    Term list = emu_list_of(p, x, arity);
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
    return enter(p, x, export_address(handler), 3, next);
}

static const Word *call_local_fun(Process *p, Term *x, Term t, unsigned arity, const Word *next) {
    const Fun *fun = fun_ptr(t);
    const Word *address = __atomic_load_n(&fun->entry->address, __ATOMIC_RELAXED);
    if (address == fun_error_address)
        return undefined_lambda(p, x, t, arity, next);
    size_t free_count = fun_free_count(t);
    for (size_t i = 0; i < free_count; i++)
        x[arity + i] = fun->env[i];
    return enter(p, x, address, arity + (unsigned)free_count, next);
}

static const Word *bad_fun(Process *p, Term *x, Term fun, unsigned arity) {
    if (!is_fun(fun)) {
        fail_value(p, FAIL_BADFUN, fun);
        return raise_here(p, x);
    }
    Term list = emu_list_of(p, x, arity);
    fail_value(p, FAIL_BADARITY, area_tuple2(process_area(p), fun, list));
    return raise_here(p, x);
}

const Word *emu_call_fun(Process *p, Term *x, Term fun, unsigned arity, const Word *next) {
    if (is_local_fun(fun) && fun_ptr(fun)->entry->arity == arity)
        return call_local_fun(p, x, fun, arity, next);
    if (is_export_fun(fun)) {
        const Export *e = ((const ExportFun *)boxed_ptr(fun))->export;
        if (e->arity == arity)
            return enter(p, x, export_address(e), arity, next);
    }
    return bad_fun(p, x, fun, arity);
}

static bool fun_takes(Term fun, unsigned arity) { return emu_is_function_arity(fun, small_make(arity)); }

const Word *emu_call_fun_last(Process *p, Term *x, Term fun, unsigned arity, unsigned drop) {
    if (!fun_takes(fun, arity))
        return bad_fun(p, x, fun, arity);
    p->heap.area.limit += drop;
    return emu_call_fun(p, x, fun, arity, NULL);
}

/* erlang:apply/3 was given something else than atoms and a list: badarg, with its own entry in the trace. */
static const Word *bad_apply(Process *p, Term *x, Term module, Term function, Term arguments) {
    fail_badarg(p);
    Term a[3] = {module, function, arguments};
    return exception_raise(p, x, p->ip, export_put(am_erlang, am_apply, 3), a);
}

/* Arguments are in x[0..arity). erlang:apply/2,3 by name are done here: they are no functions with bodies. */
static const Word *apply(Process *p, Term *x, Term module, Term function, unsigned arity, const Word *next) {
    if (module == am_erlang && function == am_apply) {
        if (arity == 3)
            return emu_apply_list(p, x, next);
        if (arity == 2)
            return emu_apply_fun(p, x, next);
    }
    if (module == am_erlang && function == am_hibernate && arity == 3)
        return emu_hibernate(p, x); /* no function with a body either; it never returns */
    return enter(p, x, export_address(export_put(module, function, arity)), arity, next);
}

const Word *emu_apply(Process *p, Term *x, unsigned arity, const Word *next) {
    Term module = x[arity], function = x[arity + 1];
    if (!is_atom(module) || !is_atom(function))
        return bad_apply(p, x, module, function, emu_list_of(p, x, arity));
    return apply(p, x, module, function, arity, next);
}

#define APPLY_MAX 255
/* Spreads the list to the x registers; -1: no proper list; beyond APPLY_MAX the count is APPLY_MAX + 1. */
static int spread(Term list, Term *x) {
    int count = 0;
    for (; is_list(list); list = list_tail(list)) {
        if (count > APPLY_MAX)
            return count;
        x[count++] = list_head(list);
    }
    return list == NIL ? count : -1;
}

const Word *emu_apply_list(Process *p, Term *x, const Word *next) {
    for (;;) {
        Term module = x[0], function = x[1], arguments = x[2];
        Term spare[APPLY_MAX + 2];
        int arity = spread(arguments, spare);
        if (!is_atom(module) || !is_atom(function) || arity < 0)
            return bad_apply(p, x, module, function, arguments);
        if (arity > APPLY_MAX) {
            fail_with(p, FAIL_SYSTEM_LIMIT);
            Term a[3] = {module, function, arguments};
            return exception_raise(p, x, p->ip, export_put(am_erlang, am_apply, 3), a);
        }
        for (int i = 0; i < arity; i++)
            x[i] = spare[i];
        if (module != am_erlang || function != am_apply || arity != 3)
            return apply(p, x, module, function, (unsigned)arity, next);
    }
}

const Word *emu_apply_list_last(Process *p, Term *x, unsigned drop) {
    p->heap.area.limit += drop;
    return emu_apply_list(p, x, NULL);
}

const Word *emu_apply_fun(Process *p, Term *x, const Word *next) {
    Term fun = x[0], arguments = x[1];
    Term spare[APPLY_MAX + 2];
    int arity = spread(arguments, spare);
    if (arity < 0 || arity > APPLY_MAX) {
        fail_with(p, arity < 0 ? FAIL_BADARG : FAIL_SYSTEM_LIMIT);
        Term a[2] = {fun, arguments};
        return exception_raise(p, x, p->ip, export_put(am_erlang, am_apply, 2), a);
    }
    for (int i = 0; i < arity; i++)
        x[i] = spare[i];
    return emu_call_fun(p, x, fun, (unsigned)arity, next);
}

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
