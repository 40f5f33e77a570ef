/*
 * A process that works for a module in a dirty call is asked to suspend, by another thread, while the work ends: it is
 * suspended afterwards, whoever comes first, and not before. For ThreadSanitizer. And one that is suspended in the
 * midst of its slice leaves its receive, and goes on there; in the midst of a built-in function it may take messages
 * out up to the end of that. For AddressSanitizer.
 */
#include "process/suspend.h"

#include <sched.h>
#include <stdlib.h>

#include "process/dirty_gate.h"
#include "process/dirty_queue.h"
#include "process/dirty_signals.h"
#include "process/message.h"
#include "process/receive.h"
#include "process/run_queue.h"
#include "process/signal_handle.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_process.h"

#define ROUNDS 1000

static Process *worker, *asker;
static _Atomic unsigned begun, asked;
static const Word code[1];

static void handle_signals_of_call(void) {
    for (Process *p; (p = run_queue_take(run_queue_at(0))) != NULL;)
        dirty_signals_handle(p);
}

static void ask(void *data) {
    thread_progress_register();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        while (atomic_load(&begun) < round)
            sched_yield();
        require(suspend_process(asker, worker->pid, &(SuspendRequest){.id = 0}));
        handle_signals_of_call();
        atomic_store(&asked, round);
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static bool is_suspended(void) {
    uint32_t state = atomic_load(&worker->state);
    assert_false(state & STATE_SUSPENDS);
    return (state & STATE_SUSPENDED) != 0;
}

static void begin_call(void) {
    atomic_store(&worker->works_for, code);
    dirty_gate_open(worker, GATE_CALL);
    atomic_store(&worker->state, STATE_ACTIVE | STATE_DIRTY_CPU | PRIORITY_NORMAL << STATE_PRIORITY_SHIFT);
}

/* Back to its own thread, as a scheduler would run it. */
static void end_call(void) {
    dirty_gate_shut(worker);
    suspend_answer(worker);
    atomic_fetch_and(&worker->state, ~(uint32_t)STATE_DIRTY);
    atomic_fetch_or(&worker->state, STATE_RUNNING);
    signal_handle(worker);
}

static void who_works_for_a_module_is_suspended_afterwards(void **state) {
    Thread thread;
    unsigned seed = 1;
    begin_call();
    thread_start(&thread, "ask", 0, ask, NULL);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        atomic_store(&begun, round);
        for (int i = rand_r(&seed) % 200; i > 0; i--)
            cpu_pause();
        assert_false(atomic_load(&worker->state) & STATE_SUSPENDED);
        suspend_work_is_over(worker);
        while (atomic_load(&asked) < round)
            sched_yield();
        handle_signals_of_call();
        end_call();
        assert_true(is_suspended());
        assert_null(worker->suspensions->asked);
        assert_int_equal(worker->suspensions->count, 1);
        assert_true(suspend_resume(asker, worker->pid));
        signal_handle(worker);
        assert_false(is_suspended());
        begin_call();
        thread_progress_quiescent();
    }
    thread_join(&thread);
}

/* It is resumed before that: nothing comes of it. */
static void who_is_resumed_meanwhile_is_not_suspended(void **state) {
    atomic_store(&worker->state, STATE_ACTIVE | STATE_RUNNING);
    atomic_store(&worker->works_for, code);
    assert_true(suspend_process(asker, worker->pid, &(SuspendRequest){.id = 0}));
    signal_handle(worker);
    assert_int_equal(atomic_load(&worker->state) & (STATE_SUSPENDS | STATE_SUSPENDED), STATE_SUSPENDS);
    assert_non_null(worker->suspensions->asked);
    assert_true(suspend_resume(asker, worker->pid));
    signal_handle(worker);
    assert_null(worker->suspensions->asked);
    suspend_work_is_over(worker);
    signal_handle(worker);
    assert_false(is_suspended());
}

static void send_from_asker(Term term) {
    KeptMessage message = kept_message_make(term, asker->pid, NIL);
    kept_message_send(&message, worker->pid);
}

static Term receive(void) {
    Message *m = receive_peek(worker);
    return m != NULL ? receive_remove(worker, m) : NON_VALUE;
}

static void suspended_midway(void) {
    atomic_store(&worker->state, STATE_ACTIVE | STATE_RUNNING | PRIORITY_NORMAL << STATE_PRIORITY_SHIFT);
    send_from_asker(am_ok);
    signal_handle(worker);
    assert_true(suspend_process(asker, worker->pid, &(SuspendRequest){.id = 0}));
    send_from_asker(am_error);
    assert_non_null(receive_peek(worker));
    receive_next(worker);
    assert_null(receive_peek(worker)); /* handles both signals */
    assert_true(is_suspended());
    assert_true(process_must_stop(worker));
    assert_null(worker->untold); /* it would lie in a message that goes */
}

static void resume(void) {
    assert_true(suspend_resume(asker, worker->pid));
    signal_handle(worker);
    assert_false(is_suspended());
    assert_false(process_must_stop(worker));
}

static void who_is_suspended_midway_receives_later(void **state) {
    suspended_midway();
    assert_false(receive_may_sleep(worker)); /* it would not wake for what is there */
    resume();
    assert_int_equal(receive(), am_error);
    assert_int_equal(receive(), am_ok);
    assert_false(is_value(receive()));
}

static void who_is_suspended_midway_may_take_messages_out(void **state) {
    suspended_midway();
    receive_rewind(worker);
    assert_int_equal(receive(), am_ok);
    assert_int_equal(receive(), am_error);
    assert_int_equal(signal_midway_result(worker, am_true), NON_VALUE);
    assert_int_equal(worker->fail.reason, FAIL_YIELD);
    assert_int_equal(worker->fail.value, am_true);
    resume();
    assert_int_equal(signal_midway_result(worker, am_true), am_true);
}

int main(void) {
    unit_processes_init();
    dirty_queues_init(1, 1);
    worker = unit_process(0);
    asker = unit_process(0);
    const struct CMUnitTest tests[] = {
        unit(who_works_for_a_module_is_suspended_afterwards), unit(who_is_resumed_meanwhile_is_not_suspended),
        unit(who_is_suspended_midway_receives_later), unit(who_is_suspended_midway_may_take_messages_out)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    thread_progress_unregister();
    return failed;
}
