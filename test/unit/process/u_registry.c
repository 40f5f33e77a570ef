/*
 * Names under threads: whoever got a name has it until somebody takes it away, though the process that had it before
 * ends in the middle of being named; and a process that has ended has none.
 */
#include "process/registry.h"

#include "alloc/alloc.h"
#include "process/life.h"
#include "process/process_table.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"
#include "unit_process.h"

#define ROUNDS 1000
#define PEOPLE 6
#define NAMES 4

static void free_now(ProgressNode *node) { process_free(container_of(node, Process, progress)); }

static void bury(Process *p) {
    registry_forget(p);
    process_table_remove(p);
    p->progress.run = free_now;
    thread_progress_later(&p->progress);
}

/* One name, three parts: somebody names mortals, somebody lets them end, somebody wants the name for himself. */
static _Atomic(Process *) mortal;
static _Atomic bool stop;
static Term the_name;

static void name_mortals(void *data) {
    thread_progress_register();
    while (!atomic_load(&stop)) {
        Process *p = atomic_load(&mortal);
        if (p)
            (void)registry_register(the_name, p);
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void end_mortals(void *data) {
    thread_progress_register();
    while (!atomic_load(&stop)) {
        Process *p = unit_process(0);
        atomic_store(&mortal, p);
        for (unsigned i = pid_data(p->pid) % 64; i > 0; i--)
            sched_yield();
        registry_forget(p);
        assert_false(is_value(registry_name_of(p)));
        assert_false(registry_register(the_name, p)); /* never again */
        atomic_store(&mortal, NULL);
        bury(p);
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void keep_the_name(void *data) {
    thread_progress_register();
    Process *me = unit_process(0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        while (!registry_register(the_name, me))
            thread_progress_quiescent();
        for (unsigned n = i % 8; n > 0; n--)
            sched_yield();
        assert_true(registry_whereis(the_name) == me->pid);
        assert_true(registry_unregister(the_name));
        thread_progress_quiescent();
    }
    bury(me);
    atomic_store(&stop, true);
    thread_progress_unregister();
}

static void a_name_that_was_given_is_not_taken_by_the_end_of_another(void **state) {
    Thread threads[3];
    the_name = am_erlang;
    thread_start(&threads[0], "namer", 0, name_mortals, NULL);
    thread_start(&threads[1], "reaper", 0, end_mortals, NULL);
    thread_start(&threads[2], "keeper", 0, keep_the_name, NULL);
    for (unsigned i = 0; i < 3; i++)
        thread_join(&threads[i]);
    assert_false(is_value(registry_whereis(the_name)));
    assert_int_equal(registry_count(), 0);
}

/* One takes a name back, and who sees that gives the process another. */
#define TURNS 20000
static Process *renamed;
static _Atomic unsigned turn;

static void wait_for(unsigned number) {
    while (atomic_load(&turn) != number)
        thread_progress_quiescent();
}

static void take_back(void *data) {
    thread_progress_register();
    for (unsigned i = 0; i < TURNS; i++) {
        wait_for(2 * i);
        assert_true(registry_register(am_erlang, renamed));
        assert_int_equal(registry_name_of(renamed), am_erlang);
        atomic_store(&turn, 2 * i + 1);
        assert_true(registry_unregister(am_erlang));
    }
    thread_progress_unregister();
}

static void give_another(void *data) {
    thread_progress_register();
    for (unsigned i = 0; i < TURNS; i++) {
        wait_for(2 * i + 1);
        while (is_value(registry_whereis(am_erlang)))
            thread_progress_quiescent();
        assert_false(is_value(registry_name_of(renamed)));
        assert_true(registry_register(am_apply, renamed));
        assert_int_equal(registry_name_of(renamed), am_apply);
        assert_true(registry_unregister(am_apply));
        atomic_store(&turn, 2 * i + 2);
    }
    thread_progress_unregister();
}

static void one_that_has_lost_its_name_may_have_another(void **state) {
    Thread threads[2];
    thread_progress_register();
    renamed = unit_process(0);
    thread_progress_offline();
    thread_start(&threads[0], "taker", 0, take_back, NULL);
    thread_start(&threads[1], "renamer", 0, give_another, NULL);
    for (unsigned i = 0; i < 2; i++)
        thread_join(&threads[i]);
    thread_progress_online();
    assert_int_equal(registry_count(), 0);
    bury(renamed);
    thread_progress_unregister();
}

/* All names, all people, any order. */
static Process *people[PEOPLE];
static const Term names[NAMES] = {am_erlang, am_apply, am_ok, am_error};

static void mix(void *data) {
    uint64_t seed = 77 + 1000 * (uintptr_t)data;
    thread_progress_register();
    for (unsigned i = 0; i < ROUNDS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        Term name = names[(seed >> 33) % NAMES];
        Process *p = people[(seed >> 40) % PEOPLE];
        if ((seed >> 50) % 3 == 0)
            (void)registry_unregister(name);
        else
            (void)registry_register(name, p);
        Term owner = registry_whereis(name);
        assert_true(!is_value(owner) || process_find(owner) != NULL);
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void check_pair(Term name, void *count) {
    Process *p = process_find(registry_whereis(name));
    assert_non_null(p);
    assert_true(registry_name_of(p) == name);
    ++*(size_t *)count;
}

static void names_and_processes_agree_at_the_end(void **state) {
    Thread threads[4];
    thread_progress_register();
    for (unsigned i = 0; i < PEOPLE; i++)
        people[i] = unit_process(0);
    thread_progress_offline();
    for (uintptr_t i = 0; i < 4; i++)
        thread_start(&threads[i], "mixer", 0, mix, (void *)i);
    for (unsigned i = 0; i < 4; i++)
        thread_join(&threads[i]);
    thread_progress_online();
    size_t named = 0;
    registry_each(check_pair, &named);
    assert_int_equal(named, registry_count());
    for (unsigned i = 0; i < PEOPLE; i++)
        named -= is_value(registry_name_of(people[i]));
    assert_int_equal(named, 0);
    for (unsigned i = 0; i < PEOPLE; i++)
        bury(people[i]);
    assert_int_equal(registry_count(), 0);
    thread_progress_unregister();
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    process_table_init(PROCESS_LIMIT_MIN);
    registry_init();
    const struct CMUnitTest tests[] = {unit(a_name_that_was_given_is_not_taken_by_the_end_of_another),
                                       unit(one_that_has_lost_its_name_may_have_another),
                                       unit(names_and_processes_agree_at_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
