/*
 * What the stock process erts_literal_area_collector is made of. Source: its calls; answers of OTP 25.
 *
 * release_area_switch/0: the area before has been let go of by all; true when there is another one. Each phase that
 * heap/literal.h describes ends with thread progress, during which the process waits.
 */
#include "alloc/alloc.h"
#include "bif_table.h"
#include "process/dirty_end.h"
#include "process/request.h"
#include "replace/literal_release.h"
#include "replace/system_process.h"
#include "term/atom.h"

/* The collector's own; only it reads and writes this. What is being waited for. */
static struct {
    enum { NOTHING, ENDED, LEFT, COUNTED, LEAVING } phase;
    LiteralArea *area; /* that is being released, or NULL */
    ProgressNode ended; /* and for the answer to which request of whose */
    Term collector;
    uint64_t request;
} state;

static void set(LiteralRange *which, LiteralRange range) { __atomic_store_n(which, range, __ATOMIC_SEQ_CST); }

static Term wait_in(Process *p, int phase) {
    state.phase = phase;
    return request_wait_for_progress(p, am_true);
}

static Term take_next(Process *p) {
    state.phase = NOTHING;
    state.area = literal_release_take();
    if (state.area == NULL)
        return am_false;
    set(&literal_counted, literal_range(state.area));
    return wait_in(p, COUNTED);
}

static Term leave(Process *p) {
    set(&literal_leaving, 0);
    return wait_in(p, LEFT);
}

static void all_ended(ProgressNode *node) { request_reply(state.collector, state.request, am_true); }

/* Processes that have ended in a dirty call were not asked. */
static Term wait_for_ended(Process *p) {
    state.phase = ENDED;
    state.collector = p->pid;
    state.ended.run = all_ended;
    state.request = request_begin(p);
    if (dirty_end_wait(&state.ended))
        return request_wait(p);
    request_end(p);
    return leave(p);
}

static Term next_phase(Process *p) {
    switch (state.phase) {
    case NOTHING:
        return state.area == NULL ? take_next(p) : wait_for_ended(p);
    case ENDED:
        return leave(p);
    case LEFT:
        set(&literal_counted, 0);
        literal_released();
        return take_next(p);
    case COUNTED:
        set(&literal_leaving, literal_range(state.area));
        return wait_in(p, LEAVING);
    default:
        state.phase = NOTHING;
        return am_true;
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
    system_task_send(a[0], system_task_create(&system_task_copy_literals, process_priority(p), p->pid,
                                              am_copy_literals, id, a[2]));
    return am_ok;
}
