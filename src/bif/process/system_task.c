/*
 * Collections and checks that one process asks of another, or of itself (process/system_task.h).
 * Source: erlang(3) garbage_collect/2, check_process_code/3; the requests that the stock erlang module makes.
 */
#include "bif/process/process_options.h"
#include "bif_table.h"
#include "process/receive.h"
#include "process/request.h"
#include "process/signal_handle.h"
#include "process/system_task.h"
#include "replace/code_check.h"
#include "replace/code_holders.h"
#include "term/atom.h"
#include "term/node.h"

static Term collect(Process *p, CollectKind kind) {
    return unlikely(p->flags & FLAG_PUTS_OFF_COLLECTIONS) ? am_true : bif_return_collected(p, am_true, kind);
}

/* As hibernate/3, but for the stack, which stays. Source: erlang(3) of OTP 28. */
Term erlang_hibernate_0(Process *p, const Term *a) {
    if (receive_may_sleep(p))
        return fail_value(p, FAIL_HIBERNATE, am_ok);
    return signal_midway_result(p, process_is_exiting(p) ? NON_VALUE : am_ok);
}

Term erlang_garbage_collect_0(Process *p, const Term *a) { return collect(p, COLLECT_MAJOR); }

Term erts_internal_garbage_collect_1(Process *p, const Term *a) {
    if (a[0] != am_major && a[0] != am_minor)
        return fail_badarg(p);
    return collect(p, a[0] == am_major ? COLLECT_MAJOR : COLLECT_MINOR);
}

/* NULL: there is no such request. */
static const SystemTaskKind *request_kind(Term request, Term *argument) {
    Term what = tuple_elements(request)[0], more = tuple_arity(request) > 2 ? tuple_elements(request)[2] : NIL;
    *argument = more;
    if (what == am_system_task_test)
        return &system_task_test;
    if (what == am_garbage_collect && (more == am_major || more == am_minor)) {
        *argument = small_make(more == am_major ? COLLECT_MAJOR : COLLECT_MINOR);
        return &system_task_collect;
    }
    return what == am_check_process_code && is_atom(more) ? &system_task_check_code : NULL;
}

/* {garbage_collect, Id, Kind}, {check_process_code, Id, Module} or {system_task_test, Id}: the requester is sent it
 * with the answer as third element. */
static Term system_task(Process *p, Term requester, Term pid, Term priority, Term request) {
    Priority urgency = process_priority(p);
    Term argument;
    if (!is_local_pid(requester) || !(is_local_pid(pid) || is_earlier_pid(pid)) || !is_tuple(request) ||
        tuple_arity(request) < 2 || (priority != am_inherit && !priority_decode(priority, &urgency)))
        return fail_badarg(p);
    const SystemTaskKind *kind = request_kind(request, &argument);
    if (kind == NULL)
        return fail_badarg(p);
    const Term *e = tuple_elements(request);
    system_task_send(pid, system_task_create(kind, urgency, requester, e[0], e[1], argument));
    return am_ok;
}

Term erts_internal_request_system_task_3(Process *p, const Term *a) { return system_task(p, p->pid, a[0], a[1], a[2]); }
Term erts_internal_request_system_task_4(Process *p, const Term *a) { return system_task(p, a[0], a[1], a[2], a[3]); }

Term erts_internal_check_process_code_1(Process *p, const Term *a) {
    if (!is_atom(a[0]))
        return fail_badarg(p);
    const ModuleInstance *old = code_to_check(a[0]);
    return bool_term(old != NULL && code_check(p, code_range(old)));
}

/* ask_holder(Pid, Id, Module) -> ok: the caller is sent {holder, Id, Reasons}, native, or, for a process that is no
 * more, undefined, in the place of Reasons. */
Term viv_code_ask_holder_3(Process *p, const Term *a) {
    if (!is_local_pid(a[0]) || !is_atom(a[2]))
        return fail_badarg(p);
    system_task_send(a[0], system_task_create(&system_task_holder, process_priority(p), p->pid, am_holder, a[1], a[2]));
    return am_ok;
}

/* For the stock runtime's handlers of dirty processes' signals. There are no such processes here: schedulers do it
 * (process/dirty_gate.h). */
Term erts_internal_check_dirty_process_code_2(Process *p, const Term *a) { return fail_with(p, FAIL_NOTSUP); }
Term erts_internal_dirty_process_handle_signals_1(Process *p, const Term *a) { return fail_with(p, FAIL_NOTSUP); }

/* Answers when every scheduler has been through a round of its loop, or sleeps. */
Term erts_internal_system_check_1(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    return a[0] == am_schedulers ? request_wait_for_progress(p, am_ok) : fail_badarg(p);
}
