/*
 * Built-in functions that may wait give back what they hold, whatever way they leave: threads, each as one process that
 * calls such a function over and over, which fails, answers, waits for something else or passes the permission on. One
 * at a time has it, and it never gets lost: all of them come to their end. Who has it is as urgent as those who wait.
 */
#include "process/waiting_bif.h"

#include <sched.h>

#include "code/export.h"
#include "process/bif.h"
#include "process/permission.h"
#include "process/request.h"
#include "process/run_queue.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_process.h"

#define THREADS 4
#define ROUNDS 2000

static const BifEntry waiting = {.flags = BIF_WAITS}, other;
static Export may_wait = {.bif = &waiting}, may_not = {.bif = &other};
static Permission permission;

static Process *enter(void) {
    Process *p = unit_process(STATE_RUNNING);
    p->current_bif = &may_wait;
    return p;
}

/* As the engine calls one that takes the permission: true when it has it. */
static bool takes(Process *p) { return permission_take(&permission, p); }
static bool waits(const Process *p) { return p->request != NULL && p->fail.reason == FAIL_WAIT; }

static void what_was_taken_is_given_back(void **state) {
    Process *a = enter(), *b = enter();
    assert_true(takes(a));
    assert_true(permission_is_held());
    assert_false(waiting_bif_is_clean(a, am_true));
    assert_int_equal(waiting_bif_left(a, am_true), am_true);
    assert_true(waiting_bif_is_clean(a, am_true));
    assert_true(takes(b));
    assert_false(is_value(waiting_bif_left(b, fail_badarg(b))));
    assert_true(takes(a));
    permission_pass_on(&permission);
    waiting_bif_left(a, am_true);
    assert_false(takes(b)); /* whoever got it has it still */
    request_drop(b);
    permission_release(&permission);
    unit_process_end(a);
    unit_process_end(b);
}

static void who_fails_when_called_again_gives_it_on(void **state) {
    Process *a = enter(), *b = enter(), *c = enter();
    assert_true(takes(a));
    permission_pass_on(&permission);
    assert_false(takes(b));
    waiting_bif_left(b, NON_VALUE);
    assert_true(waits(b) && waiting_bif_is_clean(b, NON_VALUE));
    assert_false(takes(c));
    waiting_bif_left(c, NON_VALUE);
    permission_release(&permission);
    signal_handle(b); /* handed to it */
    waiting_bif_left(b, fail_badarg(b));
    assert_null(b->request);
    signal_handle(c);
    assert_true(takes(c));
    waiting_bif_left(c, am_true);
    unit_process_end(a);
    unit_process_end(b);
    unit_process_end(c);
}

static void who_leaves_the_queue_is_passed_over(void **state) {
    Process *a = enter(), *b = enter(), *c = enter();
    assert_true(takes(a));
    permission_pass_on(&permission);
    assert_false(takes(b));
    assert_false(takes(c));
    waiting_bif_left(b, fail_badarg(b)); /* called again by another signal */
    permission_release(&permission);
    signal_handle(b);
    assert_null(b->request);
    signal_handle(c);
    assert_true(takes(c));
    waiting_bif_left(c, am_true);
    unit_process_end(a);
    unit_process_end(b);
    unit_process_end(c);
}

static void an_answer_that_comes_late_is_nobodys(void **state) {
    Process *a = enter();
    Term answer;
    uint64_t id = request_begin(a);
    request_wait(a);
    waiting_bif_left(a, fail_badarg(a));
    assert_null(a->request);
    request_begin(a);
    request_reply(a->pid, id, am_true);
    signal_handle(a);
    assert_int_equal(request_answer(a, &answer), REQUEST_PENDING);
    request_drop(a);
    a->current_bif = &may_not;
    assert_false(request_may(a));
    unit_process_end(a);
}

static void asks(Process *p, Permission *what, Priority priority) {
    process_set_priority(p, priority);
    assert_false(permission_take(what, p));
    waiting_bif_left(p, NON_VALUE);
}

static void who_waits_lends_his_priority(void **state) {
    Process *a = enter(), *b = enter(), *c = enter();
    process_set_priority(a, PRIORITY_LOW);
    assert_true(takes(a));
    permission_keep(&permission);
    asks(b, &permission, PRIORITY_NORMAL);
    assert_int_equal(process_run_priority(a), PRIORITY_NORMAL);
    asks(c, &permission, PRIORITY_MAX);
    assert_int_equal(process_run_priority(a), PRIORITY_MAX);
    assert_int_equal(process_priority(a), PRIORITY_LOW);
    permission_release(&permission); /* b is handed it, and c waits */
    assert_int_equal(process_run_priority(a), PRIORITY_LOW);
    assert_int_equal(process_run_priority(b), PRIORITY_MAX);
    request_drop(c);
    assert_int_equal(process_run_priority(b), PRIORITY_NORMAL);
    asks(c, &permission, PRIORITY_HIGH);
    signal_handle(b);
    request_put_off(b); /* c is handed it */
    assert_int_equal(process_run_priority(b), PRIORITY_NORMAL);
    signal_handle(c);
    assert_true(takes(c));
    waiting_bif_left(c, am_true);
    request_drop(b);
    unit_process_end(a);
    unit_process_end(b);
    unit_process_end(c);
}

static void it_is_lent_on_to_whom_the_holder_waits_for(void **state) {
    static Permission outer;
    Process *a = enter(), *b = enter(), *c = enter();
    process_set_priority(a, PRIORITY_LOW);
    assert_true(takes(a));
    permission_keep(&permission);
    process_set_priority(b, PRIORITY_LOW);
    assert_true(permission_take(&outer, b));
    permission_keep(&outer);
    asks(b, &permission, PRIORITY_LOW);
    assert_int_equal(process_run_priority(a), PRIORITY_LOW);
    asks(c, &outer, PRIORITY_MAX);
    assert_int_equal(process_run_priority(b), PRIORITY_MAX);
    assert_int_equal(process_run_priority(a), PRIORITY_MAX);
    permission_release(&permission);
    assert_int_equal(process_run_priority(a), PRIORITY_LOW);
    signal_handle(b);
    assert_true(takes(b));
    waiting_bif_left(b, am_true);
    assert_int_equal(process_run_priority(b), PRIORITY_MAX);
    permission_release(&outer);
    assert_int_equal(process_run_priority(b), PRIORITY_LOW);
    signal_handle(c);
    assert_true(permission_take(&outer, c));
    waiting_bif_left(c, am_true);
    unit_process_end(a);
    unit_process_end(b);
    unit_process_end(c);
}

static int inside; /* who has the permission writes it */
static _Atomic int lefts, taken;

static void has_it(Process *p, unsigned way) {
    atomic_fetch_add(&taken, 1);
    assert_int_equal(inside++, 0);
    inside--;
    if (way == 0)
        permission_release(&permission);
    if (way == 1) {
        permission_pass_on(&permission);
        permission_release(&permission);
    }
}

static void call(Process *p, unsigned round) {
    for (unsigned calls = 0;; calls++) {
        Term result = NON_VALUE;
        if (calls > 0 && round % 5 == 0) /* what it was given is good no more */
            fail_badarg(p);
        else if (takes(p))
            has_it(p, round % 3), result = am_true;
        result = waiting_bif_left(p, result);
        assert_true(waiting_bif_is_clean(p, result));
        if (!waits(p))
            break;
        for (int i = 0; i < 100 && !p->request->is_answered; i++) { /* then something else calls it again */
            thread_progress_quiescent();
            signal_handle(p);
            sched_yield();
        }
        if (round % 7 == 0 && calls % 2 == 0)
            request_put_off(p);
    }
    atomic_fetch_add(&lefts, 1);
}

static void caller(void *data) {
    thread_progress_register();
    Process *p = enter();
    process_set_priority(p, (uintptr_t)data % PRIORITY_COUNT);
    for (unsigned round = 0; round < ROUNDS; round++) {
        fail_with(p, FAIL_NONE);
        call(p, round + (unsigned)(uintptr_t)data);
    }
    assert_int_equal(process_run_priority(p), process_priority(p));
    unit_process_end(p);
    thread_progress_unregister();
}

static void one_at_a_time_has_it_and_it_comes_on(void **state) {
    Thread threads[THREADS];
    thread_progress_offline();
    for (uintptr_t i = 0; i < THREADS; i++)
        thread_start(&threads[i], "caller", 0, caller, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    thread_progress_online();
    assert_int_equal(atomic_load(&lefts), THREADS * ROUNDS);
    assert_true(atomic_load(&taken) > 0);
    Process *p = enter();
    assert_true(takes(p)); /* nobody has it */
    waiting_bif_left(p, am_true);
    unit_process_end(p);
}

int main(void) {
    unit_processes_init();
    const struct CMUnitTest tests[] = {
        unit(what_was_taken_is_given_back),        unit(who_fails_when_called_again_gives_it_on),
        unit(who_leaves_the_queue_is_passed_over), unit(an_answer_that_comes_late_is_nobodys),
        unit(who_waits_lends_his_priority),        unit(it_is_lent_on_to_whom_the_holder_waits_for),
        unit(one_at_a_time_has_it_and_it_comes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
