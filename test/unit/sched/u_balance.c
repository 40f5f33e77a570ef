/*
 * Evening out run queues: who has how many after a period, and that none is lost while queues change under those who
 * take from them. For ThreadSanitizer.
 */
#include "sched/balance.h"

#include <sched.h>

#include "process/life.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"

#define QUEUES 4
#define PROCESSES 400
#define ROUNDS 3000

static Process *processes[PROCESSES];

static void put(unsigned queue, Process *p, Priority priority) {
    atomic_store(&p->state, STATE_ACTIVE | STATE_QUEUED | (uint32_t)priority << STATE_PRIORITY_SHIFT);
    run_queue_set_self(run_queue_at(queue));
    run_queue_add(p);
    run_queue_set_self(NULL);
}

static uint32_t standing(unsigned queue, Priority priority) {
    uint32_t counts[PRIORITY_COUNT];
    run_queue_counts(run_queue_at(queue), counts);
    return counts[priority];
}

static void take_all(unsigned queue) {
    while (run_queue_take(run_queue_at(queue)) != NULL) {
    }
}

/* A period of which that part of 1024 went to those of a priority, the rest to normal ones. */
static void period(unsigned queue, Priority urgent, unsigned part) {
    Balance *b = balance_at(queue);
    do {
        balance_worked(b, urgent, part * 64);
        balance_worked(b, PRIORITY_NORMAL, (1024 - part) * 64);
        balance_look(queue);
    } while (b->counts_taken > 0);
}

static void clear(void) {
    for (unsigned i = 0; i < QUEUES; i++) {
        take_all(i);
        balance_rest(i);
    }
}

static void equal_shares(void **state) {
    for (unsigned i = 0; i < 100; i++)
        put(0, processes[i], PRIORITY_NORMAL);
    put(1, processes[100], PRIORITY_NORMAL);
    period(0, PRIORITY_MAX, 0); /* takes nothing: nobody has more */
    assert_int_equal(standing(0, PRIORITY_NORMAL), 100);
    period(1, PRIORITY_MAX, 0);
    assert_in_range(standing(1, PRIORITY_NORMAL), 50, 51);
    assert_int_equal(standing(0, PRIORITY_NORMAL) + standing(1, PRIORITY_NORMAL), 101);
    clear();
}

static void each_priority_for_itself(void **state) {
    for (unsigned i = 0; i < 40; i++)
        put(0, processes[i], i % PRIORITY_COUNT);
    period(0, PRIORITY_MAX, 0);
    period(1, PRIORITY_MAX, 0);
    for (Priority i = 0; i < PRIORITY_COUNT; i++)
        assert_int_equal(standing(1, i), 5);
    clear();
}

/* Queue 0 has nothing left for normal ones, and queue 2 a third of what queue 1 has. */
static void shares_of_what_is_left(void **state) {
    for (unsigned i = 0; i < 90; i++)
        put(0, processes[i], PRIORITY_NORMAL);
    period(0, PRIORITY_HIGH, 1024);
    period(1, PRIORITY_HIGH, 0);
    assert_in_range(standing(0, PRIORITY_NORMAL), 0, 1);
    period(2, PRIORITY_HIGH, 683);
    assert_in_range(standing(2, PRIORITY_NORMAL), 20, 25);
    clear();
}

/* One more than there are queues: it goes round. */
static void the_odd_one_goes_round(void **state) {
    for (unsigned i = 0; i < 3; i++)
        put(0, processes[i], PRIORITY_NORMAL);
    bool seen[2] = {false, false};
    for (unsigned i = 0; i < 20; i++) {
        period(i % 2, PRIORITY_MAX, 0);
        seen[0] |= standing(0, PRIORITY_NORMAL) == 2;
        seen[1] |= standing(1, PRIORITY_NORMAL) == 2;
    }
    assert_true(seen[0] && seen[1]);
    clear();
}

static void one_alone_stays(void **state) {
    put(0, processes[0], PRIORITY_NORMAL);
    for (unsigned i = 0; i < 10; i++)
        period(i % 2, PRIORITY_MAX, 0);
    assert_int_equal(standing(0, PRIORITY_NORMAL), 1);
    clear();
}

/* What is bound takes turns, and stays. */
static void bound_ones_stay(void **state) {
    for (unsigned i = 0; i < 20; i++) {
        processes[i]->bound_queue = i < 10 ? 1 : 0;
        put(0, processes[i], PRIORITY_NORMAL);
    }
    period(0, PRIORITY_MAX, 0);
    period(1, PRIORITY_MAX, 0);
    assert_int_equal(standing(1, PRIORITY_NORMAL), 10);
    for (unsigned i = 0; i < 10; i++)
        processes[i]->bound_queue = 0;
    period(1, PRIORITY_MAX, 0); /* the rest cannot be taken */
    assert_int_equal(standing(0, PRIORITY_NORMAL), 10);
    clear();
}

/* Whoever waits for a round waits for all that have work, and for nobody who sleeps. */
static void a_round_is_a_period_of_each(void **state) {
    uint64_t before = balance_rounds();
    period(0, PRIORITY_MAX, 0);
    assert_int_equal(balance_rounds(), before + 1); /* alone */
    balance_look(1); /* it has work, and no period yet */
    for (unsigned i = 0; i < 3; i++)
        period(0, PRIORITY_MAX, 0);
    assert_int_equal(balance_rounds(), before + 1);
    period(1, PRIORITY_MAX, 0);
    assert_int_equal(balance_rounds(), before + 2);
    period(1, PRIORITY_MAX, 0);
    assert_int_equal(balance_rounds(), before + 2);
    period(0, PRIORITY_MAX, 0);
    assert_int_equal(balance_rounds(), before + 3);
    balance_rest(1);
    period(0, PRIORITY_MAX, 0);
    assert_int_equal(balance_rounds(), before + 4);
    clear();
}

static _Atomic unsigned running;

/* A scheduler whose processes all want more. */
static void serve(void *queue) {
    RunQueue *rq = queue;
    run_queue_set_self(rq);
    for (unsigned i = 0; i < ROUNDS * 20; i++) {
        Process *p = run_queue_take(rq);
        if (p != NULL) {
            process_enter(p);
            balance_worked(balance_at(rq->index), p->run_place.priority, 8000);
            atomic_fetch_or(&p->state, STATE_ACTIVE);
            process_leave(p, true);
        } else {
            run_queue_steal(rq, true);
        }
        if (i % 20 == 0)
            process_raise_priority(processes[i % PROCESSES], i % PRIORITY_COUNT);
        balance_look(rq->index);
    }
    atomic_fetch_sub(&running, 1);
    while (atomic_load(&running) > 0)
        sched_yield();
}

static unsigned all_standing(void) {
    unsigned all = 0;
    for (unsigned i = 0; i < QUEUES; i++)
        for (Priority priority = 0; priority < PRIORITY_COUNT; priority++)
            all += standing(i, priority);
    return all;
}

static void none_is_lost(void **state) {
    Thread threads[QUEUES];
    for (unsigned i = 0; i < PROCESSES; i++)
        put(0, processes[i], i % PRIORITY_COUNT);
    atomic_store(&running, QUEUES);
    for (unsigned i = 0; i < QUEUES; i++)
        thread_start(&threads[i], "scheduler", 0, serve, run_queue_at(i));
    for (unsigned i = 0; i < QUEUES; i++)
        thread_join(&threads[i]);
    assert_int_equal(all_standing(), PROCESSES);
    clear();
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    run_queues_init(QUEUES);
    balances_init();
    for (unsigned i = 0; i < PROCESSES; i++)
        processes[i] = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    const struct CMUnitTest tests[] = {unit(equal_shares),
                                       unit(each_priority_for_itself),
                                       unit(shares_of_what_is_left),
                                       unit(the_odd_one_goes_round),
                                       unit(one_alone_stays),
                                       unit(bound_ones_stay),
                                       unit(a_round_is_a_period_of_each),
                                       unit(none_is_lost)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (unsigned i = 0; i < PROCESSES; i++)
        process_free(processes[i]);
    return failed;
}
