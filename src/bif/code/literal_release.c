/*
 * What the stock process erts_literal_area_collector is made of. Source: its calls; answers of OTP 25.
 *
 * release_area_switch/0: the areas before have been let go of by all; true when there are others. Each phase that
 * heap/literal.h describes ends with thread progress, during which the process waits. Then it looks whom the areas
 * concern, and asks those (replace/asked.h).
 */
#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "process/request.h"
#include "replace/asked.h"
#include "replace/literal_release.h"
#include "replace/system_process.h"
#include "term/atom.h"

/* The collector's own; only it reads and writes this. What is being waited for, and for which areas; 0: none. */
static struct {
    enum { NOTHING, LEFT, COUNTED, LEAVING, LOOKING } phase;
    unsigned progresses; /* of LEAVING */
    LiteralRange range;
} state;

static void set(LiteralRange *which, LiteralRange range) { __atomic_store_n(which, range, __ATOMIC_SEQ_CST); }

static Term wait_in(Process *p, int phase) {
    state.phase = phase;
    return request_wait_for_progress(p, am_true);
}

static Term take_next(Process *p) {
    state.phase = NOTHING;
    state.range = literal_release_take();
    if (state.range == 0)
        return am_false;
    set(&literal_counted, state.range);
    return wait_in(p, COUNTED);
}

/* All have answered. */
static Term leave(Process *p) {
    asked_end(p);
    literal_release_look_at_shells();
    set(&literal_leaving, 0);
    return wait_in(p, LEFT);
}

static Term look(Process *p) {
    if (!asked_go_on(p))
        return request_wait_for_progress(p, am_true);
    state.phase = NOTHING;
    return am_true;
}

static Term begin_to_look(Process *p) {
    asked_begin(p, &(AskedAbout){.born = literal_release_oldest(), .look = literal_release_concerns});
    state.phase = LOOKING;
    return look(p);
}

static Term next_phase(Process *p) {
    switch (state.phase) {
    case NOTHING: return state.range == 0 ? take_next(p) : leave(p);
    case LEFT:
        set(&literal_counted, 0);
        literal_released();
        return take_next(p);
    case COUNTED:
        set(&literal_leaving, state.range);
        state.progresses = 0;
        return wait_in(p, LEAVING);
    case LEAVING: return ++state.progresses < REST_PROGRESSES ? wait_in(p, LEAVING) : begin_to_look(p);
    default: return look(p);
    }
}

Term erts_literal_area_collector_release_area_switch_0(Process *p, const Term *a) {
    Term answer;
    if (!system_process_is(p, am_erts_literal_area_collector))
        return fail_with(p, FAIL_NOTSUP);
    if (state.phase != NOTHING && request_answer(p, &answer) != REQUEST_ANSWERED)
        return request_wait(p);
    return next_phase(p);
}

/* send_copy_request(Pid, Area, How): it is sent {copy_literals, {Area, How, Pid}, ok | need_gc}. */
Term erts_literal_area_collector_send_copy_request_3(Process *p, const Term *a) {
    if (!system_process_is(p, am_erts_literal_area_collector))
        return fail_with(p, FAIL_NOTSUP);
    if (!is_local_pid(a[0]) || (a[2] != am_init && a[2] != am_check_gc && a[2] != am_need_gc))
        return fail_badarg(p);
    Term id = area_tuple3(process_area(p), a[1], a[2], a[0]);
    system_task_send(
        a[0], system_task_create(&system_task_copy_literals, process_priority(p), p->pid, am_copy_literals, id, a[2]));
    return am_ok;
}
