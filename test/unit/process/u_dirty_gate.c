/*
 * Processes in the hands of dirty threads, whose signals schedulers handle meanwhile: each signal is handled once,
 * those of one sender in their order, and never by two threads at a time. What a handler, the owner and a call with the
 * gate shut write has no order of its own, for ThreadSanitizer. A signal that gets lost makes the program fail.
 */
#include "process/dirty_gate.h"

#include <sched.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "process/dirty_queue.h"
#include "process/dirty_signals.h"
#include "process/life.h"
#include "process/run_queue.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "sys/clock.h"
#include "unit.h"

#define SCHEDULERS 2
#define DIRTY 2
#define SENDERS 2
#define PROCESSES 8
#define SIGNALS 40000 /* of each sender */
#define SECONDS 100

/* The process's own. */
typedef struct {
    Process *p;
    unsigned last[SENDERS];
    uint64_t handled, calls, slices;
} Own;
static Own owns[PROCESSES];
static _Atomic uint64_t handled_of_all, in_calls;
static _Atomic bool stop;
static _Atomic unsigned threads_left;

static Own *own_of(const Process *p) {
    Own *own = owns;
    while (own->p != p)
        own++;
    return own;
}

typedef struct {
    CallSignal call;
    unsigned sender, number;
} TestSignal;

static void count(Process *p, CallSignal *call) {
    TestSignal *s = container_of(call, TestSignal, call);
    Own *own = own_of(p);
    require(own->last[s->sender] < s->number);
    own->last[s->sender] = s->number;
    own->handled++;
    if (process_is_in_dirty_call(p))
        atomic_fetch_add(&in_calls, 1);
    atomic_fetch_add(&handled_of_all, 1);
    mem_free(ALLOC_SIGNAL, s);
}

static void send(Process *p, unsigned sender, unsigned number) {
    TestSignal *s = mem_calloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = count;
    s->sender = sender;
    s->number = number;
    require(signal_push(p, &s->call.signal));
}

static void sender(void *data) {
    unsigned number = (unsigned)(uintptr_t)data, seed = number + 1;
    thread_progress_register();
    for (unsigned i = 1; i <= SIGNALS; i++) {
        thread_progress_quiescent();
        send(owns[(unsigned)rand_r(&seed) % PROCESSES].p, number, i);
        if (rand_r(&seed) % 64 == 0)
            usleep(20);
    }
    thread_progress_unregister();
    atomic_fetch_sub(&threads_left, 1);
}

/* It always wants to make a dirty call. */
static void run_slice(Process *p) {
    if (process_is_in_dirty_hands(p)) {
        dirty_signals_handle(p);
        return;
    }
    process_enter(p);
    signal_handle(p);
    own_of(p)->slices++;
    atomic_fetch_or(&p->state, STATE_ACTIVE | STATE_DIRTY_CPU);
    process_leave_to_dirty(p);
}

static int64_t no_deadline(unsigned index) { return -1; }

static void scheduler(void *data) {
    RunQueue *rq = data;
    bool called = false;
    thread_progress_register();
    run_queue_set_self(rq);
    while (!atomic_load(&stop)) {
        thread_progress_quiescent();
        Process *p = run_queue_take(rq);
        if (p && !atomic_load(&stop)) {
            run_slice(p);
        } else if (run_queue_steal(rq, called)) {
            run_queue_call_next();
            called = false;
        } else {
            thread_progress_offline();
            called = run_queue_sleep(rq, no_deadline, event_wait);
            thread_progress_online();
        }
    }
    run_queue_set_self(NULL);
    thread_progress_unregister();
    atomic_fetch_sub(&threads_left, 1);
}

/* In the call it touches what is its own only with the gate shut. */
static void call(Process *p, unsigned *seed) {
    Own *own = own_of(p);
    own->calls++;
    dirty_gate_open(p, GATE_CALL);
    for (unsigned i = (unsigned)rand_r(seed) % 4; i > 0; i--) {
        if (rand_r(seed) % 8 == 0)
            usleep(100);
        DirtyPause pause = dirty_gate_pause(p);
        require(pause.process == p && p->signals_begun == NULL);
        own->calls++;
        dirty_gate_go_on(&pause);
    }
    dirty_gate_shut(p);
    require(p->signals_begun == NULL);
    own->calls++;
}

static void dirty_thread(void *data) {
    unsigned number = (unsigned)(uintptr_t)data, seed = number + 100;
    thread_progress_register();
    thread_progress_offline();
    while (!atomic_load(&stop)) {
        dirty_queue_comes_back(false);
        Process *p = dirty_queue_take(false, number);
        dirty_gate_shut(p);
        if (!atomic_load(&stop))
            call(p, &seed);
        thread_progress_enter();
        process_give_back(p, true);
        thread_progress_leave();
    }
    thread_progress_online();
    thread_progress_unregister();
    atomic_fetch_sub(&threads_left, 1);
}

static void begin(Thread *threads) {
    atomic_store(&handled_of_all, 0);
    atomic_store(&threads_left, SCHEDULERS + DIRTY + SENDERS);
    for (unsigned i = 0; i < PROCESSES; i++)
        owns[i] = (Own){.p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535)};
    for (unsigned i = 0; i < PROCESSES; i++) {
        atomic_fetch_or(&owns[i].p->state, STATE_ACTIVE);
        process_wake(owns[i].p);
    }
    for (unsigned i = 0; i < SCHEDULERS; i++)
        thread_start(threads++, "scheduler", 0, scheduler, run_queue_at(i));
    for (uintptr_t i = 0; i < DIRTY; i++)
        thread_start(threads++, "dirty", 0, dirty_thread, (void *)i);
    for (uintptr_t i = 0; i < SENDERS; i++)
        thread_start(threads++, "sender", 0, sender, (void *)i);
}

/* Dirty threads that wait get a process to take. */
static void end(Thread *threads) {
    atomic_store(&stop, true);
    while (atomic_load(&threads_left) > 0) {
        for (unsigned i = 0; i < SCHEDULERS; i++)
            run_queue_call(run_queue_at(i));
        for (unsigned i = 0; i < DIRTY && dirty_queue_length(false) == 0; i++) {
            Process *p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
            atomic_fetch_or(&p->state, STATE_DIRTY_CPU);
            dirty_queue_add(p, false);
        }
        usleep(1000);
    }
    for (unsigned i = 0; i < SCHEDULERS + DIRTY + SENDERS; i++)
        thread_join(&threads[i]);
}

static void each_signal_is_handled_once_and_in_order(void **state) {
    Thread threads[SCHEDULERS + DIRTY + SENDERS];
    int64_t deadline = clock_monotonic() + SECONDS * NANOSECONDS_PER_SECOND;
    begin(threads);
    while (atomic_load(&handled_of_all) < (uint64_t)SENDERS * SIGNALS) {
        assert_true(clock_monotonic() < deadline);
        usleep(1000);
    }
    end(threads);
    uint64_t handled = 0;
    for (unsigned i = 0; i < PROCESSES; i++)
        handled += owns[i].handled;
    assert_int_equal(handled, (uint64_t)SENDERS * SIGNALS);
    assert_true(atomic_load(&in_calls) > 0);
}

static void a_shut_gate_lets_nobody_in(void **state) {
    Process *p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    assert_false(dirty_gate_look(p));
    dirty_gate_open(p, GATE_CALL);
    assert_true(dirty_gate_look(p));
    dirty_gate_look_end(p);
    dirty_gate_shut(p);
    assert_false(dirty_gate_look(p));
    assert_int_equal(dirty_gate_kind(p), GATE_CALL);
    process_free(p);
}

/* What is to be done to a process that stands in the dirty queue, schedulers do. */
static void who_is_wanted_elsewhere_leaves_the_dirty_queue(void **state) {
    Process *p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    RunQueue *rq = run_queue_at(0);
    atomic_fetch_or(&p->state, STATE_ACTIVE | STATE_RUNNING | STATE_DIRTY_IO);
    process_leave_to_dirty(p);
    assert_int_equal(dirty_queue_length(true), 1);
    owns[0] = (Own){.p = p};
    send(p, 0, 1);
    assert_ptr_equal(run_queue_take(rq), p);
    dirty_signals_handle(p);
    assert_int_equal(owns[0].handled, 1);
    assert_int_equal(dirty_queue_length(true), 1);
    atomic_fetch_or(&p->state, STATE_TASKS);
    send(p, 0, 2);
    assert_ptr_equal(run_queue_take(rq), p);
    dirty_signals_handle(p);
    assert_int_equal(dirty_queue_length(true), 0);
    assert_ptr_equal(run_queue_take(rq), p);
    assert_false(process_is_in_dirty_hands(p));
    process_enter(p);
    process_free(p);
}

int main(void) {
    run_queues_init(SCHEDULERS);
    dirty_queues_init(DIRTY, 1);
    thread_progress_register();
    const struct CMUnitTest tests[] = {unit(a_shut_gate_lets_nobody_in),
                                       unit(who_is_wanted_elsewhere_leaves_the_dirty_queue),
                                       unit(each_signal_is_handled_once_and_in_order)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    thread_progress_unregister();
    return failed;
}
