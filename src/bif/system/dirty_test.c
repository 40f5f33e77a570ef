/*
 * erts_debug:dirty_cpu/2, dirty_io/2 and dirty/3: what test suites have a dirty thread, or a scheduler, do for a while.
 *
 * dirty(Where, Operation, Argument) does it where it is told, by a trap to a function that is registered as of that
 * kind; so do operations that go on in a later call. Whatever fails there is told as a failure of the call that was
 * made.
 * Source: OTP 25's own test suites, and what its runtime answers them.
 */
#include <errno.h>
#include <time.h>

#include "bif/argument.h"
#include "bif_table.h"
#include "code/export.h"
#include "heap/copy.h"
#include "process/dirty_call.h"
#include "process/dirty_end.h"
#include "process/message.h"
#include "term/atom.h"

#define COPIES 1000
#define LONG_WAIT_MS 6000
#define STEP_MS 20
#define AFTER_END_MS 1000

static void sleep_ms(SWord ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
}

/* --- What is done: `call` is the list of the arguments of the call that was made --- */

typedef Term Operation(Process *p, Term argument, Term call);

static Term do_scheduler(Process *p, Term item, Term call) {
    if (item != am_type)
        return fail_badarg(p);
    return thread_kind == THREAD_DIRTY_CPU ? am_dirty_cpu : thread_kind == THREAD_DIRTY_IO ? am_dirty_io : am_normal;
}

static Term do_error(Process *p, Term name, Term call) {
    switch (name) {
    case am_undef: return fail_with(p, FAIL_UNDEF);
    case am_badarith: return fail_with(p, FAIL_BADARITH);
    case am_noproc: return fail_with(p, FAIL_NOPROC);
    case am_notsup: return fail_with(p, FAIL_NOTSUP);
    case am_system_limit: return fail_with(p, FAIL_SYSTEM_LIMIT);
    default: return fail_badarg(p);
    }
}

/* To zero by twos, each in another slice. */
static Term do_reschedule(Process *p, Term times, Term call) {
    if (!is_small(times) || small_value(times) < 0)
        return fail_badarg(p);
    if (times == small_make(0))
        return am_ok;
    Term twin = thread_kind == THREAD_DIRTY_CPU  ? am_dirty_test_cpu
                : thread_kind == THREAD_DIRTY_IO ? am_dirty_test_io
                                                 : am_dirty_test_normal;
    Term rest[] = {am_reschedule, small_make(small_value(times) - 2), call};
    return bif_yield(p, export_internal(am_erts_internal, twin, 3), 3, rest);
}

static Term do_copy(Process *p, Term t, Term call) {
    Term list = NIL;
    for (int i = 0; i < COPIES; i++)
        list = area_cons(process_area(p), term_copy(t, process_area(p)), list);
    return list;
}

static Term do_wait(Process *p, Term ms, Term call) {
    if (!is_small_within(ms, INT32_MIN, INT32_MAX))
        return fail_badarg(p);
    sleep_ms(small_value(ms) < 0 ? 0 : small_value(ms));
    return am_ok;
}

/* {What, self()} */
static bool tell(Process *p, Term to, Term what) {
    if (!is_local_pid(to))
        return false;
    Message *m = message_create(area_tuple2(process_area(p), what, p->pid), p->pid, NIL);
    thread_progress_enter();
    if (!signal_send(to, &m->signal))
        message_free(m);
    thread_progress_leave();
    return true;
}

static Term do_ready_wait6_done(Process *p, Term pid, Term call) {
    if (!tell(p, pid, am_ready))
        return fail_badarg(p);
    sleep_ms(LONG_WAIT_MS);
    tell(p, pid, am_done);
    return am_ok;
}

/* Until the process has ended, and for a while after that: others look at what is left of it. */
static Term do_alive_waitexiting(Process *p, Term pid, Term call) {
    const Process *caller = dirty_call_process();
    if (caller == NULL || !tell(p, pid, am_alive))
        return fail_badarg(p);
    while (!dirty_end_has_left(caller))
        sleep_ms(STEP_MS);
    sleep_ms(AFTER_END_MS);
    return am_ok;
}

static const struct {
    Term name;
    Operation *operation;
} operations[] = {
    {am_scheduler, do_scheduler},
    {am_error, do_error},
    {am_reschedule, do_reschedule},
    {am_copy, do_copy},
    {am_wait, do_wait},
    {am_ready_wait6_done, do_ready_wait6_done},
    {am_alive_waitexiting, do_alive_waitexiting},
};

/* --- How it is called --- */

static Term operate(Process *p, Term name, Term argument, Term call) {
    Term result = NON_VALUE;
    fail_badarg(p);
    for (size_t i = 0; i < array_length(operations); i++)
        if (operations[i].name == name)
            result = operations[i].operation(p, argument, call);
    Term made = list_length(call) == 3 ? am_dirty : thread_kind == THREAD_DIRTY_CPU ? am_dirty_cpu : am_dirty_io;
    return bif_result_for(p, result, am_erts_debug, made, call);
}

Term erts_internal_dirty_test_3(Process *p, const Term *a) { return operate(p, a[0], a[1], a[2]); }

static Term list_of(Process *p, const Term *a, unsigned count) {
    Term list = NIL;
    while (count-- > 0)
        list = area_cons(process_area(p), a[count], list);
    return list;
}

static Term dirty(Process *p, const Term *a) { return operate(p, a[0], a[1], list_of(p, a, 2)); }
Term erts_debug_dirty_cpu_2(Process *p, const Term *a) { return dirty(p, a); }
Term erts_debug_dirty_io_2(Process *p, const Term *a) { return dirty(p, a); }

Term erts_debug_dirty_3(Process *p, const Term *a) {
    Term call = list_of(p, a, 3), there[] = {a[1], a[2], call};
    switch (a[0]) {
    case am_normal: return operate(p, a[1], a[2], call);
    case am_dirty_cpu: return bif_go_dirty(p, am_dirty_test_cpu, 3, there);
    case am_dirty_io: return bif_go_dirty(p, am_dirty_test_io, 3, there);
    default: return fail_badarg(p);
    }
}
