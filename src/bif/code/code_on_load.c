/*
 * Code whose on_load function runs before anything leads to the code.
 *
 * One at a time, as the stock code server does it: erlang:finish_loading/1 answers {on_load, [Module]}, then
 * call_on_load_function/1 and finish_after_on_load/2. Or several in a list, for viv_code:load/1: each is begun, called,
 * and said to have returned ok; then erlang:finish_loading/1 takes them all at once, with others. Source: erlang's
 * answers in OTP 25; "Running a function when a module is loaded" in the Erlang reference manual.
 */
#include "bif/argument.h"
#include "bif/code/prepared.h"
#include "bif_table.h"
#include "process/request.h"
#include "replace/code_permission.h"
#include "replace/system_process.h"
#include "term/atom.h"

static Module *module_with_pending(Term name) {
    Module *m = is_atom(name) ? module_find(name) : NULL;
    return m != NULL && __atomic_load_n(&m->pending, __ATOMIC_ACQUIRE) != NULL ? m : NULL;
}

/* With an argument, for functions that have one (viv_code:begin_on_load/2). */
static Term call_pending(Process *p, const Module *m) {
    static const Term argument = NIL;
    return bif_trap(p, __atomic_load_n(&m->on_load_call, __ATOMIC_ACQUIRE), 1, &argument);
}

Term erlang_call_on_load_function_1(Process *p, const Term *a) {
    Module *m = module_with_pending(a[0]);
    return m != NULL ? call_pending(p, m) : fail_badarg(p);
}

static Term publish_pending(Process *p, Module *m, bool keep) {
    code_stage_begin();
    if (keep)
        code_stage_instance(m->pending);
    else
        code_give_up_pending(m);
    code_commit();
    return code_permission_release_answering(p, am_true);
}

/* The stock purger does this for others, who may be late: somebody has done it already. It must not end by that, as the
 * node would. */
static Term nothing_waits(Process *p) { return system_process_is(p, am_erts_code_purger) ? am_true : fail_badarg(p); }

Term erlang_finish_after_on_load_2(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    if (!is_atom(a[0]) || (a[1] != am_true && a[1] != am_false))
        return fail_badarg(p);
    if (module_with_pending(a[0]) == NULL)
        return nothing_waits(p);
    if (!code_permission_take(p))
        return NON_VALUE;
    Module *m = module_with_pending(a[0]);
    bool keep = a[1] == am_true;
    if (m == NULL)
        return nothing_waits(p);
    /* While the function ran, somebody else has loaded the module, twice, without a purge. */
    bool is_in_the_way = keep && m->old != NULL && module_current(m) != NULL;
    if (is_in_the_way && !system_process_is(p, am_erts_code_purger))
        return fail_badarg(p);
    return publish_pending(p, m, keep && !is_in_the_way);
}

/* What waits for an on_load function; or for `instead`, an exported function of no or one argument called in its
 * place. */
static Term begin_on_load(Process *p, Prepared *prepared, Term instead) {
    if (!code_permission_take(p))
        return NON_VALUE;
    bool ready = !prepared_is_begun(prepared) && prepared_instance(prepared) != NULL;
    const Module *m = module_put(prepared->module);
    bool pending = m->pending != NULL && !prepared_is_abandoned(m);
    if (!ready || (instead != NON_VALUE && !prepared_lead_to(prepared, instead)))
        return fail_badarg(p);
    if (pending)
        return area_tuple2(process_area(p), am_error, am_pending_on_load);
    code_stage_begin();
    prepared_begin(prepared);
    code_commit();
    code_permission_release_later();
    return am_true;
}

/* begin_on_load(Prepared) -> true | {error, pending_on_load}: the code may run, but only what is called by
 * call_on_load/1 leads to it. */
Term viv_code_begin_on_load_1(Process *p, const Term *a) {
    Prepared *prepared = prepared_of(a[0]);
    bool waits = prepared != NULL && prepared_waits_for_on_load(prepared);
    return waits ? begin_on_load(p, prepared, NON_VALUE) : fail_badarg(p);
}

/* begin_on_load(Prepared, Function): the same for code that has no on_load function; Function() or
 * Function([]) is called as one. */
Term viv_code_begin_on_load_2(Process *p, const Term *a) {
    Prepared *prepared = prepared_of(a[0]);
    bool free = prepared != NULL && is_atom(a[1]) && !atomic_load(&prepared->has_on_load);
    return free ? begin_on_load(p, prepared, a[1]) : fail_badarg(p);
}

static Prepared *prepared_begun(Term t) {
    Prepared *prepared = prepared_of(t);
    bool begun = prepared != NULL && prepared_waits_for_on_load(prepared) && prepared_is_begun(prepared);
    return begun && prepared_instance(prepared) != NULL ? prepared : NULL;
}

Term viv_code_call_on_load_1(Process *p, const Term *a) {
    Prepared *prepared = prepared_begun(a[0]);
    return prepared != NULL ? call_pending(p, module_find(prepared->module)) : fail_badarg(p);
}

Term viv_code_on_load_returned_1(Process *p, const Term *a) {
    Prepared *prepared = prepared_begun(a[0]);
    if (prepared == NULL)
        return fail_badarg(p);
    atomic_store_explicit(&prepared->returned, true, memory_order_release);
    return am_true;
}
