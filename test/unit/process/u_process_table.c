/*
 * The process table under threads: pids are given once, a process that was found stays readable until the finder's next
 * quiescent point, whatever ends meanwhile, and the places of those that ended are used again, in the order in which
 * they became free, also when hardly any are and all threads want one. While somebody chooses the numbers none is lost.
 */
#include "process/life.h"
#include "process/process_table.h"

#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"

#define CREATORS 3
#define READERS 2
#define ALIVE 100
#define ROUNDS 3000 /* at least, and until the readers have seen enough */
#define ENOUGH 2000

static _Atomic Term known[CREATORS][ALIVE];
static _Atomic int creators_left;
static _Atomic uint64_t found, entered, freed;
static _Atomic uint64_t newest[PROCESS_LIMIT_MIN]; /* number of each slot, plus one */

static void free_now(ProgressNode *node) {
    process_free(container_of(node, Process, progress));
    atomic_fetch_add(&freed, 1);
}

/* As a process leaves at its end (process/exit.c). */
static void leave(Process *p) {
    process_table_remove(p);
    p->progress.run = free_now;
    thread_progress_later(&p->progress);
}

static Process *enter(void) {
    Term pid = process_table_reserve();
    assert_true(is_value(pid));
    assert_null(process_find(pid));
    uint64_t number = pid_data(pid), before = atomic_exchange(&newest[number % PROCESS_LIMIT_MIN], number + 1);
    assert_true(before <= number); /* they count up, so none is given twice */
    Process *p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    p->pid = pid;
    p->unique = pid_data(pid) * 3;
    process_table_publish(p);
    atomic_fetch_add(&entered, 1);
    assert_ptr_equal(process_find(pid), p);
    return p;
}

static void create(void *data) {
    unsigned number = (unsigned)(uintptr_t)data;
    Process *mine[ALIVE] = {NULL};
    thread_progress_register();
    for (unsigned i = 0; i < ROUNDS || atomic_load(&found) < ENOUGH; i++) {
        unsigned at = i % ALIVE;
        if (mine[at])
            leave(mine[at]);
        mine[at] = enter();
        atomic_store(&known[number][at], mine[at]->pid);
        thread_progress_quiescent();
    }
    for (unsigned at = 0; at < ALIVE; at++)
        leave(mine[at]);
    thread_progress_unregister();
    atomic_fetch_sub(&creators_left, 1);
}

static void look_at(Process *p, void *data) {
    assert_int_equal(p->unique, pid_data(p->pid) * 3);
    ++*(uint64_t *)data;
}

static void read(void *data) {
    uint64_t n = 0, seen = 0;
    thread_progress_register();
    while (atomic_load(&creators_left) > 0) {
        for (unsigned i = 0; i < 50; i++, n++) {
            Term pid = atomic_load(&known[n % CREATORS][n * 7 % ALIVE]);
            Process *p = pid ? process_find(pid) : NULL;
            if (!p)
                continue;
            assert_true(p->pid == pid);
            assert_int_equal(p->unique, pid_data(pid) * 3);
            atomic_fetch_add(&found, 1);
        }
        if (n % 1000 == 0)
            process_table_each(look_at, &seen);
        thread_progress_quiescent();
        if (n % 700 == 0) {
            thread_progress_offline();
            thread_progress_online();
        }
    }
    thread_progress_unregister();
}

static void what_was_found_stays_until_the_next_quiescent_point(void **state) {
    Thread threads[CREATORS + READERS];
    atomic_store(&creators_left, CREATORS);
    for (uintptr_t i = 0; i < CREATORS + READERS; i++)
        thread_start(&threads[i], i < CREATORS ? "creator" : "reader", 0, i < CREATORS ? create : read, (void *)i);
    for (unsigned i = 0; i < CREATORS + READERS; i++)
        thread_join(&threads[i]);
    assert_int_equal(process_table_count(), 0);
    assert_int_equal(atomic_load(&freed), atomic_load(&entered));
}

static void a_full_table_takes_no_more(void **state) {
    size_t limit = process_table_limit();
    Process **all = test_malloc(limit * sizeof *all);
    thread_progress_register();
    for (size_t i = 0; i < limit; i++)
        all[i] = enter();
    assert_false(is_value(process_table_reserve()));
    leave(all[limit / 2]);
    all[limit / 2] = enter();
    assert_false(is_value(process_table_reserve()));
    assert_int_equal(process_table_count(), limit);
    for (size_t i = 0; i < limit; i++)
        leave(all[i]);
    thread_progress_unregister();
    assert_int_equal(process_table_count(), 0);
    test_free(all);
}

static void places_come_back_in_the_order_they_became_free(void **state) {
    static const size_t doomed[] = {700, 300, 500, 100, 900};
    size_t limit = process_table_limit();
    Process **all = test_malloc(limit * sizeof *all);
    thread_progress_register();
    for (size_t i = 0; i < limit; i++)
        all[i] = enter();
    for (int round = 0; round < 3; round++) {
        uint64_t numbers[array_length(doomed)];
        for (size_t i = 0; i < array_length(doomed); i++) {
            numbers[i] = pid_data(all[doomed[i]]->pid);
            leave(all[doomed[i]]);
        }
        for (size_t i = 0; i < array_length(doomed); i++) {
            all[doomed[i]] = enter();
            assert_int_equal(pid_data(all[doomed[i]]->pid), numbers[i] + limit);
        }
    }
    for (size_t i = 0; i < limit; i++)
        leave(all[i]);
    thread_progress_unregister();
    test_free(all);
}

#define WANTED 4 /* places that there are for so many threads */
#define EACH 3000

static void want(void *data) {
    thread_progress_register();
    for (unsigned i = 0; i < EACH;) {
        Term pid = process_table_reserve();
        if (is_value(pid)) {
            Process *p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
            p->pid = pid;
            process_table_publish(p);
            assert_ptr_equal(process_find(pid), p);
            leave(p);
            i++;
        }
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void few_places_are_enough_for_many(void **state) {
    size_t full = process_table_limit() - WANTED;
    Process **all = test_malloc(full * sizeof *all);
    Thread threads[2 * WANTED];
    thread_progress_register();
    for (size_t i = 0; i < full; i++)
        all[i] = enter();
    thread_progress_offline();
    for (unsigned i = 0; i < array_length(threads); i++)
        thread_start(&threads[i], "wants", 0, want, NULL);
    for (unsigned i = 0; i < array_length(threads); i++)
        thread_join(&threads[i]);
    thread_progress_online();
    assert_int_equal(process_table_count(), full);
    for (size_t i = 0; i < full; i++)
        leave(all[i]);
    thread_progress_unregister();
    test_free(all);
}

static void number_anew(void *data) {
    thread_progress_register();
    for (uint64_t i = 0; i < 200; i++) {
        process_table_number_from(atomic_load(&entered) * 64 % ((uint64_t)1 << 28));
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void numbers_are_chosen_while_others_take_some(void **state) {
    size_t full = process_table_limit() - 2 * WANTED;
    Process **all = test_malloc(full * sizeof *all);
    Thread threads[WANTED];
    thread_progress_register();
    for (size_t i = 0; i < full; i++)
        all[i] = enter();
    thread_progress_offline();
    for (unsigned i = 0; i < array_length(threads); i++)
        thread_start(&threads[i], "wants", 0, i == 0 ? number_anew : want, NULL);
    for (unsigned i = 0; i < array_length(threads); i++)
        thread_join(&threads[i]);
    thread_progress_online();
    assert_int_equal(process_table_count(), full);
    process_table_number_from(5 * process_table_limit() + 3);
    uint64_t last = 0;
    for (size_t i = 0; i < 2 * WANTED; i++) {
        uint64_t next = process_table_next(), number = pid_data(process_table_reserve());
        assert_int_equal(number, next);
        assert_true(number > last && number >= 5 * process_table_limit() + 3 && number < 6 * process_table_limit() + 3);
        last = number;
    }
    assert_false(is_value(process_table_reserve()));
    test_free(all);
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    process_table_init(PROCESS_LIMIT_MIN);
    const struct CMUnitTest tests[] = {
        unit(what_was_found_stays_until_the_next_quiescent_point), unit(a_full_table_takes_no_more),
        unit(places_come_back_in_the_order_they_became_free), unit(few_places_are_enough_for_many),
        unit(numbers_are_chosen_while_others_take_some)}; /* leaves it full */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
