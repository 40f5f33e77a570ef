/*
 * One thread at a time while multi-scheduling is blocked: those with a turn never meet, and what they write is seen by
 * the next without any other order between them (ThreadSanitizer); both kinds come to their turns; who waits when the
 * block ends goes on without one.
 */
#include "sched/alone.h"

#include <sched.h>

#include "sys/thread.h"
#include "unit.h"

#define SCHEDULERS 2
#define DIRTY 4
#define TURNS 300

static unsigned inside, turns; /* by who has the turn */
static _Atomic unsigned met, without;
static _Atomic bool over;

static void have_turn(void) {
    if (++inside != 1)
        atomic_fetch_add(&met, 1);
    turns++;
    sched_yield();
    inside--;
}

static void be_scheduler(void *data) {
    for (unsigned had = 0; had < TURNS && !atomic_load(&over);) {
        if (alone_begin_scheduler()) {
            have_turn();
            alone_end_scheduler();
            had++;
        } else {
            sched_yield();
        }
    }
}

static void be_dirty(void *data) {
    for (unsigned had = 0; had < TURNS; had++) {
        if (alone_begin_dirty()) {
            have_turn();
            alone_end_dirty();
        } else {
            atomic_fetch_add(&without, 1);
        }
    }
}

static void start_all(Thread *threads) {
    for (unsigned i = 0; i < SCHEDULERS + DIRTY; i++)
        thread_start(&threads[i], "takes turns", 0, i < SCHEDULERS ? be_scheduler : be_dirty, NULL);
}

static void join_all(Thread *threads) {
    for (unsigned i = 0; i < SCHEDULERS + DIRTY; i++)
        thread_join(&threads[i]);
}

static void reset(void) {
    turns = 0;
    atomic_store(&met, 0);
    atomic_store(&without, 0);
    atomic_store(&over, false);
}

static void one_at_a_time(void **state) {
    Thread threads[SCHEDULERS + DIRTY];
    reset();
    alone_set(true);
    start_all(threads);
    join_all(threads);
    alone_set(false);
    assert_int_equal(atomic_load(&met), 0);
    assert_int_equal(atomic_load(&without), 0);
    assert_int_equal(turns, (SCHEDULERS + DIRTY) * TURNS);
}

static void blocks_that_end(void **state) {
    Thread threads[SCHEDULERS + DIRTY];
    reset();
    start_all(threads);
    for (unsigned i = 0; i < TURNS; i++) {
        alone_set(i % 2 == 0);
        sched_yield();
    }
    alone_set(false);
    atomic_store(&over, true);
    join_all(threads);
    assert_int_equal(atomic_load(&met), 0);
    assert_false(alone_begin_dirty());
    assert_false(alone_begin_scheduler());
}

int main(void) {
    alone_init();
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_at_a_time), cmocka_unit_test(blocks_that_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
