/*
 * What a walk over bounds looks at: the words of blocks, and those of slots only where somebody may refer to what is
 * looked for, however many others there are. And that nobody is passed over who was set to BIRTH_NEVER, while threads
 * walk and set them. A walk over the whole table gives its scheduler away.
 */
#include "process/bounds.h"

#include <sched.h>

#include "base/long_work.h"
#include "process/process_table.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"

#define SLOTS 65536
#define BLOCKS (SLOTS / BOUNDS_BLOCK)
#define OLD 5
#define NEW 6

/* How many are found; *looked: at so many words. */
static unsigned walk(size_t end, size_t *looked) {
    unsigned found = 0;
    *looked = 0;
    for (size_t at = 0; (at = bounds_find(at, end, NEW, looked)) < end; at++)
        found++;
    return found;
}

static void only_blocks_are_looked_at(void **state) {
    size_t looked;
    for (size_t i = 0; i < SLOTS; i++)
        bounds_set(i, BIRTH_NEVER);
    assert_int_equal(walk(SLOTS, &looked), SLOTS);
    for (size_t i = 0; i < SLOTS; i++)
        bounds_set(i, OLD);
    assert_int_equal(walk(SLOTS, &looked), 0);
    assert_int_equal(looked, BLOCKS + 2 * SLOTS); /* once more, to sum them up */
    assert_int_equal(walk(SLOTS, &looked), 0);
    assert_int_equal(looked, BLOCKS);
    bounds_set(3 * BOUNDS_BLOCK + 7, BIRTH_NEVER);
    bounds_set(9 * BOUNDS_BLOCK, BIRTH_NEVER);
    assert_int_equal(walk(SLOTS, &looked), 2);
    assert_in_range(looked, BLOCKS, BLOCKS + 5 * BOUNDS_BLOCK);
    bounds_set(3 * BOUNDS_BLOCK + 7, OLD);
    bounds_set(9 * BOUNDS_BLOCK, 0);
    assert_int_equal(walk(SLOTS, &looked), 0);
    assert_int_equal(walk(SLOTS, &looked), 0);
    assert_int_equal(looked, BLOCKS);
    looked = 0;
    assert_int_equal(bounds_find(0, SLOTS, OLD, &looked), 0); /* older things may be had by all */
}

/* --- threads --- */

#define SETTERS 3
#define WALKERS 2
#define MINE 100 /* slots of a thread that sets them, side by side with those of the others */
#define ROUNDS 20000

static _Atomic unsigned setting;

static size_t slot_of(unsigned thread, unsigned i) { return (size_t)i * SETTERS + thread; }

static void set(void *data) {
    unsigned thread = (unsigned)(uintptr_t)data;
    for (unsigned n = 0; n < ROUNDS; n++) {
        size_t slot = slot_of(thread, n * 7 % MINE), looked = 0;
        bounds_set(slot, OLD);
        bounds_set(slot, BIRTH_NEVER);
        assert_int_equal(bounds_find(slot, slot + 1, NEW, &looked), slot);
    }
    for (unsigned i = 0; i < MINE; i++)
        bounds_set(slot_of(thread, i), i % 10 == 0 ? BIRTH_NEVER : OLD);
    atomic_fetch_sub(&setting, 1);
}

static void walk_on(void *data) {
    size_t looked;
    while (atomic_load(&setting) > 0) {
        assert_in_range(walk(SETTERS * MINE, &looked), 0, SETTERS * MINE);
        sched_yield();
    }
}

static void nobody_is_passed_over(void **state) {
    Thread threads[SETTERS + WALKERS];
    size_t looked;
    atomic_store(&setting, SETTERS);
    for (unsigned i = 0; i < SETTERS + WALKERS; i++)
        thread_start(&threads[i], "bounds", 0, i < SETTERS ? set : walk_on, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < SETTERS + WALKERS; i++)
        thread_join(&threads[i]);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(walk(SETTERS * MINE, &looked), SETTERS * MINE / 10);
}

/* --- the whole table --- */

static unsigned given_away;
static void give_away(void) { given_away++; }
static void count(Process *p, void *data) { ++*(unsigned *)data; }

static void a_walk_over_all_is_cut(void **state) {
    unsigned seen = 0;
    for (size_t i = 0; i < SLOTS; i++)
        assert_true(is_value(process_table_reserve()));
    long_work_here.give_away = give_away;
    long_work_begin();
    process_table_each(count, &seen);
    assert_int_equal(seen, 0); /* none of them is there yet */
    assert_in_range(given_away, 2, SLOTS);
    assert_true(thread_progress_may_read());
    long_work_here.give_away = NULL;
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    process_table_init(SLOTS);
    thread_progress_register();
    const struct CMUnitTest tests[] = {unit(only_blocks_are_looked_at), unit(nobody_is_passed_over),
                                       unit(a_walk_over_all_is_cut)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    thread_progress_unregister();
    return failed;
}
