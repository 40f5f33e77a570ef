/*
 * Run queues that close and open while threads run processes from them as schedulers do, and raise those that stand in
 * queues. A process that gets lost makes the program hang; one that a closed queue's thread still runs after thread
 * progress fails it, and so does one that runs where it is not bound to. And who is called, and takes what, when
 * processes stand behind others. For ThreadSanitizer.
 */
#include "process/life.h"
#include "process/run_queue.h"

#include <sched.h>
#include <unistd.h>

#include "process/signal.h"
#include "sys/clock.h"
#include "unit.h"

#define THREADS 4
#define PROCESSES 64
#define RUNS 4000
#define SECONDS 60
#define A_FEW 3

static Process *processes[PROCESSES];
static unsigned runs_left[PROCESSES]; /* of the thread that runs it */
static _Atomic unsigned ended, runs_of[THREADS], threads_left;
static _Atomic bool stop;
static bool they_bind; /* each binds itself to another queue, or to none, whenever it runs */
static _Atomic unsigned strays;

static unsigned number_of(const Process *p) {
    unsigned i = 0;
    while (processes[i] != p)
        i++;
    return i;
}

/* Some want more at once, others wait and are woken by the next one that runs. */
static void run(Process *p, unsigned thread) {
    unsigned i = number_of(p);
    bool was_raised = process_enter(p);
    atomic_fetch_add(&runs_of[thread], 1);
    if (they_bind) {
        atomic_fetch_add(&strays, p->bound_queue != 0 && p->bound_queue != thread + 1);
        p->bound_queue = (i + runs_left[i]) % (THREADS + 1);
    }
    if (!was_raised) /* or those of one queue might raise each other for ever */
        process_raise_priority(processes[(7 * i + runs_left[i]) % PROCESSES], runs_left[i] % PRIORITY_COUNT);
    if (was_raised && p->run_place.priority < process_run_priority(p)) {
        atomic_fetch_or(&p->state, STATE_ACTIVE);
        process_leave_to_front(p);
        return;
    }
    bool over = --runs_left[i] == 0;
    process_wake(processes[(i + 1) % PROCESSES]);
    if (over) {
        atomic_fetch_or(&p->state, STATE_FREE);
        atomic_fetch_and(&p->state, ~(uint32_t)STATE_RUNNING);
        atomic_fetch_add(&ended, 1);
    } else {
        atomic_fetch_or(&p->state, STATE_ACTIVE);
        process_leave(p, true);
    }
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
        if (p) {
            run(p, rq->index);
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

static _Atomic bool has_passed;
static void pass(ProgressNode *node) { atomic_store(&has_passed, true); }
static void wait_for_progress(void) {
    static ProgressNode node = {.run = pass};
    int64_t deadline = clock_monotonic() + SECONDS * NANOSECONDS_PER_SECOND;
    atomic_store(&has_passed, false);
    thread_progress_later(&node);
    while (!atomic_load(&has_passed)) {
        assert_true(clock_monotonic() < deadline);
        run_queue_call(run_queue_at(0));
        sched_yield();
    }
}

static void begin(Thread *threads) {
    atomic_store(&stop, false);
    atomic_store(&ended, 0);
    atomic_store(&threads_left, THREADS);
    for (unsigned i = 0; i < PROCESSES; i++) {
        processes[i] = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
        process_set_priority(processes[i], PRIORITY_HIGH + i % (PRIORITY_COUNT - PRIORITY_HIGH));
        runs_left[i] = they_bind ? RUNS / 20 : RUNS;
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        atomic_store(&processes[i]->home_queue, i % THREADS);
        atomic_fetch_or(&processes[i]->state, STATE_ACTIVE);
        process_wake(processes[i]);
    }
    for (unsigned i = 0; i < THREADS; i++)
        thread_start(&threads[i], "scheduler", 0, scheduler, run_queue_at(i));
}

static void end(Thread *threads) {
    atomic_store(&stop, true);
    while (atomic_load(&threads_left) > 0) {
        for (unsigned i = 0; i < THREADS; i++)
            run_queue_call(run_queue_at(i));
        sched_yield();
    }
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    for (unsigned i = 0; i < PROCESSES; i++)
        process_free(processes[i]);
}

static void run_while_queues_close_and_open(void) {
    Thread threads[THREADS];
    unsigned seed = 1;
    int64_t deadline = clock_monotonic() + SECONDS * NANOSECONDS_PER_SECOND;
    begin(threads);
    while (atomic_load(&ended) < PROCESSES) {
        assert_true(clock_monotonic() < deadline);
        run_queues_set_open(1 + (unsigned)rand_r(&seed) % THREADS);
        if (they_bind || rand_r(&seed) % 4 == 0)
            usleep(they_bind ? 1000 : 100); /* a queue is open long enough for its thread to wake up */
    }
    run_queues_set_open(THREADS);
    end(threads);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(run_queue_length(run_queue_at(i)), 0);
}

static void all_run_while_queues_close_and_open(void **state) { run_while_queues_close_and_open(); }

static void who_is_bound_runs_nowhere_else(void **state) {
    they_bind = true;
    run_while_queues_close_and_open();
    they_bind = false;
    assert_int_equal(atomic_load(&strays), 0);
}

static void a_closed_queue_runs_nothing_after_progress(void **state) {
    Thread threads[THREADS];
    unsigned before[THREADS];
    int64_t deadline = clock_monotonic() + SECONDS * NANOSECONDS_PER_SECOND;
    begin(threads);
    while (atomic_load(&ended) < PROCESSES) {
        run_queues_set_open(1);
        wait_for_progress();
        for (unsigned i = 0; i < THREADS; i++)
            before[i] = atomic_load(&runs_of[i]);
        usleep(2000);
        while (atomic_load(&runs_of[0]) == before[0] && atomic_load(&ended) < PROCESSES) {
            assert_true(clock_monotonic() < deadline);
            sched_yield();
        }
        for (unsigned i = 1; i < THREADS; i++)
            assert_int_equal(atomic_load(&runs_of[i]), before[i]);
        run_queues_set_open(THREADS);
        usleep(500);
    }
    end(threads);
}

#define STANDING 5

static void assert_next(Process *p) { assert_ptr_equal(run_queue_take(run_queue_at(0)), p); }

/* As a scheduler does that takes it: it handles its signals, and has done then what it was raised for. */
static void do_duty(Process *p) {
    assert_next(p);
    assert_true(process_enter(p));
    assert_true(p->run_place.priority < process_run_priority(p));
    process_leave_to_front(p);
}

static void who_is_asked_gets_ahead_and_then_back_to_the_front(void **state) {
    Process *p[STANDING];
    run_queue_set_self(run_queue_at(0));
    for (unsigned i = 0; i < STANDING; i++) {
        p[i] = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
        atomic_fetch_or(&p[i]->state, STATE_ACTIVE);
        process_wake(p[i]);
    }
    static const unsigned asked[] = {STANDING - 1, 2, 2, 0, STANDING - 1}; /* from the end, the middle, the front */
    for (unsigned i = 0; i < array_length(asked); i++) {
        process_raise_priority(p[asked[i]], PRIORITY_NORMAL); /* no more urgent than it is */
        process_raise_priority(p[asked[i]], i % 2 == 0 ? PRIORITY_MAX : PRIORITY_HIGH);
        do_duty(p[asked[i]]);
    }
    assert_int_equal(atomic_load(&run_queue_at(0)->length), STANDING);
    static const unsigned order[] = {4, 0, 2, 1, 3};
    for (unsigned i = 0; i < STANDING; i++)
        assert_next(p[order[i]]);
    assert_null(run_queue_take(run_queue_at(0)));
    for (unsigned i = 0; i < STANDING; i++)
        process_free(p[i]);
    run_queue_set_self(NULL);
}

static _Atomic unsigned woken;

/* Has something else to do when it is called. */
static void sleeper(void *rq) {
    if (run_queue_sleep(rq, no_deadline, event_wait))
        atomic_fetch_add(&woken, 1);
}

static void wait_until(_Atomic unsigned *count, unsigned wanted) {
    int64_t deadline = clock_monotonic() + SECONDS * NANOSECONDS_PER_SECOND;
    while (atomic_load(count) != wanted) {
        assert_true(clock_monotonic() < deadline);
        sched_yield();
    }
}

static void wait_for_sleepers(unsigned count) {
    int64_t deadline = clock_monotonic() + SECONDS * NANOSECONDS_PER_SECOND;
    for (unsigned asleep = 0; asleep != count; sched_yield()) {
        assert_true(clock_monotonic() < deadline);
        asleep = 0;
        for (unsigned i = 0; i < THREADS; i++)
            asleep += atomic_load(&run_queue_at(i)->is_sleeping);
    }
}

static void add_one(unsigned i) {
    processes[i] = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    atomic_fetch_or(&processes[i]->state, STATE_ACTIVE);
    process_wake(processes[i]);
}

static void free_all(unsigned count) {
    while (run_queue_take(run_queue_at(0)) != NULL) {
    }
    for (unsigned i = 0; i < count; i++)
        process_free(processes[i]);
}

/* A few are no crowd. And a thief that does not come is no reason to call no other one. */
static void each_one_more_in_a_crowd_calls_a_sleeper(void **state) {
    Thread threads[THREADS];
    run_queue_set_self(run_queue_at(0));
    run_queue_at(0)->crowd = 0;
    atomic_store(&woken, 0);
    for (unsigned i = 1; i < THREADS; i++)
        thread_start(&threads[i], "sleeper", 0, sleeper, run_queue_at(i));
    wait_for_sleepers(THREADS - 1);
    for (unsigned i = 0; i < A_FEW; i++)
        add_one(i);
    assert_int_equal(atomic_load(&woken), 0);
    for (unsigned i = 1; i < THREADS; i++) {
        add_one(A_FEW + i - 1);
        wait_until(&woken, i);
    }
    for (unsigned i = 1; i < THREADS; i++)
        thread_join(&threads[i]);
    free_all(A_FEW + THREADS - 1);
    run_queue_set_self(NULL);
}

/* How often two come and go before somebody is called. */
static unsigned rounds_of_two(RunQueue *rq) {
    unsigned rounds = 0;
    while (atomic_load(&woken) == 0 && rounds < 100) {
        for (unsigned i = 0; i < 2; i++)
            process_wake(processes[i]);
        for (unsigned i = 0; i < 2; i++) {
            Process *p = run_queue_take(rq);
            assert_non_null(p);
            atomic_fetch_and(&p->state, ~(uint32_t)STATE_QUEUED);
        }
        rounds++;
    }
    return rounds;
}

/* It need not be large where one stands behind the other again and again. Who adds from elsewhere calls at once. */
static void two_that_come_again_and_again_are_a_crowd(void **state) {
    Thread thread;
    RunQueue *here = run_queue_at(0);
    run_queue_set_self(here);
    here->crowd = 0;
    for (unsigned i = 0; i < 2; i++) {
        add_one(i);
        assert_ptr_equal(run_queue_take(here), processes[i]);
        atomic_fetch_and(&processes[i]->state, ~(uint32_t)STATE_QUEUED);
    }
    atomic_store(&woken, 0);
    thread_start(&thread, "sleeper", 0, sleeper, run_queue_at(1));
    wait_for_sleepers(1);
    unsigned rounds = rounds_of_two(here);
    assert_in_range(rounds, 5, 100);
    wait_until(&woken, 1);
    thread_join(&thread);
    here->crowd = 0;
    run_queue_set_self(NULL);
    atomic_store(&woken, 0);
    thread_start(&thread, "sleeper", 0, sleeper, run_queue_at(1));
    wait_for_sleepers(1);
    for (unsigned i = 0; i < 2; i++)
        process_wake(processes[i]);
    wait_until(&woken, 1);
    thread_join(&thread);
    free_all(2);
}

/* One that is put where another stands will be in that one's way for as long as it may. */
static void a_computation_needs_no_crowd(void **state) {
    Thread thread;
    RunQueue *here = run_queue_at(0);
    run_queue_set_self(here);
    here->crowd = 0;
    atomic_store(&woken, 0);
    thread_start(&thread, "sleeper", 0, sleeper, run_queue_at(1));
    wait_for_sleepers(1);
    add_one(0);
    add_one(1);
    assert_ptr_equal(run_queue_take(here), processes[0]);
    process_enter(processes[0]);
    process_leave(processes[0], true);
    assert_int_equal(atomic_load(&woken), 0);
    assert_ptr_equal(run_queue_take(here), processes[1]);
    process_enter(processes[1]);
    processes[1]->flags |= FLAG_COMPUTES_ON;
    process_leave(processes[1], true);
    wait_until(&woken, 1);
    thread_join(&thread);
    free_all(2);
    here->crowd = 0;
    run_queue_set_self(NULL);
}

static void thief(void *data) {
    RunQueue *rq = data;
    if (run_queue_sleep(rq, no_deadline, event_wait) && run_queue_steal(rq, true))
        atomic_fetch_add(&woken, 1);
}

static void one_alone_is_taken_from_behind_a_computation(void **state) {
    Thread thread;
    RunQueue *here = run_queue_at(0), *other = run_queue_at(1);
    run_queue_set_self(here);
    atomic_store(&woken, 0);
    add_one(0);
    assert_false(run_queue_steal(other, false));
    assert_ptr_equal(run_queue_take(here), processes[0]);
    thread_start(&thread, "thief", 0, thief, other);
    wait_for_sleepers(1);
    atomic_store(&here->runs_computation, true);
    add_one(1);
    wait_until(&woken, 1);
    thread_join(&thread);
    assert_int_equal(atomic_load(&here->length), 0);
    assert_ptr_equal(run_queue_take(other), processes[1]);
    add_one(2);
    assert_true(run_queue_others_are_full(other));
    assert_true(run_queue_steal(other, false));
    assert_ptr_equal(run_queue_take(other), processes[2]);
    atomic_store(&here->runs_computation, false);
    free_all(3);
    run_queue_set_self(NULL);
}

/* Nobody steals them; they are taken in turn with others, and wait while their queue is closed. */
static void bound_ones_stay(void **state) {
    RunQueue *here = run_queue_at(1), *other = run_queue_at(0);
    run_queue_set_self(here);
    for (unsigned i = 0; i < 4; i++) {
        processes[i] = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
        processes[i]->bound_queue = i < 2 ? here->index + 1 : 0;
        atomic_fetch_or(&processes[i]->state, STATE_ACTIVE);
        process_wake(processes[i]);
    }
    static const unsigned order[] = {0, 2, 1};
    here->bound_is_next = false;
    for (unsigned i = 0; i < array_length(order); i++)
        assert_ptr_equal(run_queue_take(here), processes[order[i]]);
    assert_true(run_queue_steal(other, true));
    assert_ptr_equal(run_queue_take(other), processes[3]);
    run_queue_set_self(other);
    atomic_fetch_and(&processes[0]->state, ~(uint32_t)STATE_QUEUED);
    process_wake(processes[0]);
    assert_false(run_queue_steal(other, true));
    run_queues_set_open(1);
    assert_false(run_queue_has_work(here));
    assert_null(run_queue_take(here));
    assert_null(run_queue_take(other));
    run_queues_set_open(THREADS);
    assert_ptr_equal(run_queue_take(here), processes[0]);
    free_all(4);
    run_queue_set_self(NULL);
}

int main(void) {
    run_queues_init(THREADS);
    thread_progress_call_host = NULL;
    const struct CMUnitTest tests[] = {unit(all_run_while_queues_close_and_open),
                                       unit(who_is_bound_runs_nowhere_else),
                                       unit(bound_ones_stay),
                                       unit(a_closed_queue_runs_nothing_after_progress),
                                       unit(who_is_asked_gets_ahead_and_then_back_to_the_front),
                                       unit(each_one_more_in_a_crowd_calls_a_sleeper),
                                       unit(two_that_come_again_and_again_are_a_crowd),
                                       unit(a_computation_needs_no_crowd),
                                       unit(one_alone_is_taken_from_behind_a_computation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
