/*
 * Turns of long work: never more threads than may work long at once, of low priority fewer; everybody gets to the end;
 * who is urgent, or becomes so while he waits, goes on although all turns are taken.
 */
#include "sched/work_turn.h"

#include <sched.h>

#include "process/life.h"
#include "process/run_queue.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"

#define SCHEDULERS 3
#define LOW_MOST 2
#define THREADS 9
#define WORKS 30
#define SLICES 25 /* of one work: some turns */

static Process *all[THREADS];
static _Atomic unsigned at_work, most_at_work, done;
static _Atomic bool is_held, lets_go;

static void with_priority(Process *p, Priority priority) {
    atomic_store(&p->state, STATE_RUNNING | (uint32_t)priority << STATE_PRIORITY_SHIFT);
}

static void note_most(unsigned now) {
    unsigned before = atomic_load(&most_at_work);
    while (before < now && !atomic_compare_exchange_weak(&most_at_work, &before, now)) {
    }
}

static void slice(const Process *p) {
    work_turn_next(p);
    note_most(atomic_fetch_add(&at_work, 1) + 1);
    sched_yield();
    atomic_fetch_sub(&at_work, 1);
}

static void work(void *data) {
    for (unsigned i = 0; i < WORKS; i++) {
        for (unsigned n = 0; n < SLICES; n++)
            slice(data);
        work_turn_end();
    }
    atomic_fetch_add(&done, 1);
}

static void all_work(Priority priority, unsigned may) {
    Thread threads[THREADS];
    atomic_store(&done, 0);
    atomic_store(&most_at_work, 0);
    for (unsigned i = 0; i < THREADS; i++) {
        with_priority(all[i], priority);
        thread_start(&threads[i], "works", 0, work, all[i]);
    }
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    assert_int_equal(atomic_load(&done), THREADS);
    assert_in_range(atomic_load(&most_at_work), 1, may);
    assert_int_equal(atomic_load(&at_work), 0);
}

static void no_more_than_may_work_at_once(void **state) {
    all_work(PRIORITY_NORMAL, SCHEDULERS);
    all_work(PRIORITY_LOW, LOW_MOST);
    all_work(PRIORITY_HIGH, THREADS);
}

/* Two of these leave no turn to one of low priority. */
static void hold(void *data) {
    work_turn_next(data);
    atomic_fetch_add(&done, 1);
    while (!atomic_load(&lets_go))
        sched_yield();
    work_turn_end();
}

/* So that turns end. */
static void go_round(void *data) {
    while (!atomic_load(&lets_go)) {
        work_turn_next(data);
        work_turn_end();
        sched_yield();
    }
}

/* Without an end of the work. */
static void work_on(void *data) {
    work_turn_next(data);
    atomic_fetch_add(&done, 1);
    while (!atomic_load(&lets_go))
        work_turn_next(data);
    work_turn_end();
}

static void begin_once(void *data) {
    work_turn_next(data);
    atomic_store(&is_held, true);
    work_turn_end();
}

static void wait_until(const _Atomic unsigned *count, unsigned wanted) {
    while (atomic_load(count) < wanted)
        sched_yield();
}

static void who_becomes_urgent_goes_on(void **state) {
    Thread threads[SCHEDULERS + 2];
    atomic_store(&done, 0);
    for (unsigned i = 0; i < SCHEDULERS; i++) {
        with_priority(all[i], PRIORITY_NORMAL);
        thread_start(&threads[i], "holds", 0, hold, all[i]);
    }
    wait_until(&done, SCHEDULERS);
    with_priority(all[SCHEDULERS], PRIORITY_HIGH);
    thread_start(&threads[SCHEDULERS], "goes round", 0, go_round, all[SCHEDULERS]);
    with_priority(all[SCHEDULERS + 1], PRIORITY_LOW);
    thread_start(&threads[SCHEDULERS + 1], "is low", 0, begin_once, all[SCHEDULERS + 1]);
    with_priority(all[SCHEDULERS + 2], PRIORITY_MAX);
    work_turn_next(all[SCHEDULERS + 2]);
    work_turn_end();
    for (unsigned i = 0; i < 1000; i++)
        sched_yield();
    assert_false(atomic_load(&is_held));
    process_raise_priority(all[SCHEDULERS + 1], PRIORITY_HIGH);
    thread_join(&threads[SCHEDULERS + 1]);
    assert_true(atomic_load(&is_held));
    atomic_store(&lets_go, true);
    for (unsigned i = 0; i <= SCHEDULERS; i++)
        thread_join(&threads[i]);
}

/* As many normal ones as may work at once have turns all the time. */
static void who_is_low_has_his_share(void **state) {
    Thread threads[SCHEDULERS];
    atomic_store(&done, 0);
    atomic_store(&lets_go, false);
    atomic_store(&is_held, false);
    for (unsigned i = 0; i < SCHEDULERS; i++) {
        with_priority(all[i], PRIORITY_NORMAL);
        thread_start(&threads[i], "works on", 0, work_on, all[i]);
    }
    wait_until(&done, SCHEDULERS);
    with_priority(all[SCHEDULERS], PRIORITY_LOW);
    begin_once(all[SCHEDULERS]);
    atomic_store(&lets_go, true);
    for (unsigned i = 0; i < SCHEDULERS; i++)
        thread_join(&threads[i]);
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    run_queues_init(1);
    work_turns_init(SCHEDULERS);
    for (unsigned i = 0; i < THREADS; i++)
        all[i] = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    const struct CMUnitTest tests[] = {unit(no_more_than_may_work_at_once), unit(who_becomes_urgent_goes_on),
                                       unit(who_is_low_has_his_share)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        process_free(all[i]);
    return failed;
}
