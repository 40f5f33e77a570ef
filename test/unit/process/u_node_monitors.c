/* Walks through the list of subscriptions: in the order in which they came, each once, whatever comes and goes. The
 * last is for ThreadSanitizer: rows come and go while others walk. */
#include "process/node_monitors.h"

#include "sys/thread.h"
#include "unit.h"
#include "unit_process.h"

#define PROCESSES 4

static Process *processes[PROCESSES];

static NodeMonitorOptions options_of(unsigned i) {
    return (NodeMonitorOptions){
        .type = i % NODE_TYPE_COUNT, .wants_reason = i & 4, .wants_connection = i & 8, .wants_list = i & 16};
}

static uint32_t set(unsigned process, unsigned i, bool on) {
    NodeMonitorOptions o = options_of(i);
    return node_monitors_set(processes[process], &o, on);
}

static void assert_met(NodeMonitorWalk *walk, unsigned process, unsigned i, uint32_t count) {
    NodeMonitorOptions o = options_of(i);
    assert_true(node_monitors_next(walk));
    assert_int_equal(walk->one.pid, processes[process]->pid);
    assert_int_equal(walk->one.count, count);
    assert_int_equal(walk->one.options.type, o.type);
    assert_int_equal(walk->one.options.wants_reason, o.wants_reason);
    assert_int_equal(walk->one.options.wants_connection, o.wants_connection);
    assert_int_equal(walk->one.options.wants_list, o.wants_list);
}

static void assert_over(NodeMonitorWalk *walk) {
    assert_false(node_monitors_next(walk));
    assert_false(node_monitors_next(walk));
}

static void all_go(void) {
    int64_t reductions = 1000;
    for (unsigned i = 0; i < PROCESSES; i++)
        assert_true(node_monitors_process_exit(processes[i], &reductions));
    NodeMonitorWalk walk;
    node_monitors_walk(&walk);
    assert_over(&walk);
}

static void each_keeps_its_place(void **state) {
    assert_int_equal(set(0, 5, true), 0);
    assert_int_equal(set(1, 5, true), 0);
    assert_int_equal(set(0, 30, true), 0);
    assert_int_equal(set(0, 5, true), 1);
    assert_int_equal(set(0, 6, false), 0);
    NodeMonitorWalk walk;
    node_monitors_walk(&walk);
    assert_met(&walk, 0, 5, 2);
    assert_met(&walk, 1, 5, 1);
    assert_met(&walk, 0, 30, 1);
    assert_over(&walk);
    assert_int_equal(set(0, 5, false), 2);
    assert_int_equal(set(0, 5, true), 0);
    node_monitors_walk(&walk);
    assert_met(&walk, 1, 5, 1);
    assert_met(&walk, 0, 30, 1);
    assert_met(&walk, 0, 5, 1);
    assert_over(&walk);
    all_go();
}

static void who_comes_and_goes_meanwhile(void **state) {
    for (unsigned i = 0; i < PROCESSES; i++)
        set(i, i, true);
    NodeMonitorWalk walk;
    node_monitors_walk(&walk);
    assert_met(&walk, 0, 0, 1);
    set(0, 0, false); /* where it stands */
    set(1, 1, false); /* where it would come next */
    set(1, 1, true);  /* at the end: it is a new one */
    set(3, 3, true);
    assert_met(&walk, 2, 2, 1);
    assert_met(&walk, 3, 3, 2);
    assert_over(&walk);
    all_go();
}

static void many_walk(void **state) {
    for (unsigned i = 0; i < PROCESSES; i++)
        set(i, i, true);
    NodeMonitorWalk a, b, c;
    node_monitors_walk(&a);
    node_monitors_walk(&b);
    assert_met(&a, 0, 0, 1);
    assert_met(&b, 0, 0, 1);
    assert_met(&b, 1, 1, 1);
    node_monitors_walk(&c);
    set(0, 0, false);
    assert_met(&c, 1, 1, 1);
    assert_met(&a, 1, 1, 1);
    set(3, 3, false);
    assert_met(&a, 2, 2, 1);
    assert_over(&a);
    assert_met(&b, 2, 2, 1);
    assert_over(&b);
    all_go();
    assert_over(&c);
}

static void one_that_was_never_begun(void **state) {
    NodeMonitorWalk walk = {0};
    assert_over(&walk);
}

#define ROUNDS 3000

static void come_and_go(void *data) {
    unsigned process = (unsigned)(uintptr_t)data;
    for (unsigned i = 0; i < ROUNDS; i++)
        set(process, i * 7, i % 3 != 0);
}

/* Those of the process that stays: each once, in order. */
static void walk_through(void *data) {
    for (unsigned i = 0; i < ROUNDS / 10; i++) {
        NodeMonitorWalk walk;
        unsigned met = 0;
        node_monitors_walk(&walk);
        while (node_monitors_next(&walk))
            if (walk.one.pid == processes[0]->pid)
                assert_int_equal(walk.one.options.type, met++ % NODE_TYPE_COUNT);
        assert_int_equal(met, NODE_TYPE_COUNT);
    }
}

static void at_the_same_time(void **state) {
    for (unsigned i = 0; i < NODE_TYPE_COUNT; i++)
        set(0, i, true);
    Thread threads[PROCESSES + 1];
    for (unsigned i = 1; i < PROCESSES; i++)
        thread_start(&threads[i], "subscriber", 0, come_and_go, (void *)(uintptr_t)i);
    thread_start(&threads[0], "walker", 0, walk_through, NULL);
    thread_start(&threads[PROCESSES], "walker", 0, walk_through, NULL);
    for (unsigned i = 0; i <= PROCESSES; i++)
        thread_join(&threads[i]);
    all_go();
}

int main(void) {
    unit_processes_init();
    for (unsigned i = 0; i < PROCESSES; i++)
        processes[i] = unit_process(STATE_RUNNING);
    const struct CMUnitTest tests[] = {
        unit(each_keeps_its_place), unit(who_comes_and_goes_meanwhile), unit(many_walk), unit(one_that_was_never_begun),
        unit(at_the_same_time),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (unsigned i = 0; i < PROCESSES; i++)
        unit_process_end(processes[i]);
    return failed;
}
