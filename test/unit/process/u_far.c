/* Actors of other nodes: one object for each, whoever asks for it; it goes with its last count. */
#include "process/far.h"

#include <sched.h>

#include "sys/thread.h"
#include "term/compare.h"
#include "unit.h"
#include "unit_far.h"
#include "unit_process.h"

#define THREADS 4
#define PIDS 8
#define ROUNDS 20000

static void there_is_one_of_each_pid(void **state) {
    unit_far_begin();
    Far *one = far_put(unit_far_pid(1)), *two = far_put(unit_far_pid(2));
    assert_ptr_not_equal(one, two);
    assert_ptr_equal(far_put(unit_far_pid(1)), one);
    assert_ptr_equal(far_find(unit_far_pid(2)), two);
    assert_null(far_find(unit_far_pid(3)));
    assert_int_equal(far_count(), 2);
    for (int i = 0; i < 2; i++) {
        far_release(one);
        far_release(two);
    }
    assert_null(far_find(unit_far_pid(1)));
    unit_far_end();
}

static void another_creation_is_another(void **state) {
    unit_far_begin();
    Term other = ident_pid(&unit_far_area.area, unit_far_name(), 4, 1, 0);
    Far *one = far_put(unit_far_pid(1));
    assert_null(far_find(other));
    far_release(one);
    unit_far_end();
}

static void it_is_a_term_again(void **state) {
    unit_far_begin();
    Term pid = unit_far_pid(7);
    Far *far = far_put(pid);
    FarRoom room;
    assert_true(term_equal(far_lend(&room, far), pid));
    FragmentArea area;
    fragment_area_init(&area, FAR_TERM_WORDS);
    Term term = far_term(&area.area, far);
    int64_t counts = atomic_load(&far->node->refc);
    assert_true(term_equal(term, pid));
    fragment_area_drop(&area);
    assert_int_equal(atomic_load(&far->node->refc), counts - 1);
    far_release(far);
    unit_far_end();
}

static void a_key_says_whose_it_is(void **state) {
    unit_far_begin();
    FarRoom room;
    Term local = pid_make(77), port = port_make(5), pid = unit_far_pid(7);
    assert_false(actor_key_is_far(actor_key(local)));
    assert_int_equal(actor_key_lend(&room, actor_key(port)), port);
    uint64_t key = actor_key(pid);
    assert_true(actor_key_is_far(key));
    assert_true(term_equal(actor_key_lend(&room, key), pid));
    actor_key_retain(key);
    actor_key_release(key);
    assert_int_equal(far_count(), 1);
    actor_key_release(key);
    unit_far_end();
}

static Term pids[PIDS];

static void put_and_release(void *data) {
    unsigned seed = (unsigned)(uintptr_t)data;
    for (int i = 0; i < ROUNDS; i++) {
        Term pid = pids[rand_r(&seed) % PIDS];
        Far *far = far_put(pid), *same = far_find(pid);
        require(far == same && far->data == external_ptr(pid)->data);
        far_release(far);
        far_release(same);
    }
}

static void threads_find_the_same(void **state) {
    Thread threads[THREADS];
    unit_far_begin();
    for (uint32_t i = 0; i < PIDS; i++)
        pids[i] = unit_far_pid(i);
    for (uintptr_t i = 0; i < THREADS; i++)
        thread_start(&threads[i], "put", 0, put_and_release, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    unit_far_end();
}

static int begin(void **state) {
    unit_processes_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit(there_is_one_of_each_pid), unit(another_creation_is_another), unit(it_is_a_term_again),
        unit(a_key_says_whose_it_is),   unit(threads_find_the_same),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
