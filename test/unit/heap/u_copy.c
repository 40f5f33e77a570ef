#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "graph.h"
#include "heap/copy.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "unit.h"

static void copies_are_equal_and_apart(void **state) {
    int64_t binaries = alloc_sum(ALLOC_BINARY).blocks;
    for (uint64_t seed = 1; seed < 300; seed++) {
        graph_seed = seed * 0x9e3779b97f4a7c15;
        FragmentArea from, to;
        fragment_area_init(&from, 100);
        Term known[12];
        size_t count = 0;
        for (int i = 0; i < 40; i++) {
            Term t = graph_object(&from.area, known, count);
            known[count < 12 ? count++ : graph_random(12)] = t;
        }
        Term t = known[graph_random(count)];
        size_t words = term_flat_size(t);
        if (words > 1000000) { /* much shared */
            fragment_free(fragment_area_finish(&from));
            continue;
        }
        TEXT(before);
        TEXT(after);
        graph_show(&before, t, 20000);
        fragment_area_init(&to, words);
        Term copy = term_copy(t, &to.area);
        for (Fragment *f = fragment_area_finish(&from), *next; f != NULL; f = next) {
            next = f->next;
            fragment_free(f);
        }
        Fragment *made = fragment_area_finish(&to);
        if (made != NULL) {
            assert_int_equal(made->used, words);
            assert_null(made->next);
        }
        graph_show(&after, copy, 20000);
        assert_int_equal(before.size, after.size);
        assert_memory_equal(before.bytes, after.bytes, before.size);
        if (made != NULL)
            fragment_free(made);
    }
    assert_int_equal(alloc_sum(ALLOC_BINARY).blocks, binaries);
}

static void deep_terms_need_no_c_stack(void **state) {
    FragmentArea from, to;
    fragment_area_init(&from, 0);
    Term t = NIL;
    for (int i = 0; i < 1000000; i++)
        t = i % 2 ? area_cons(&from.area, t, NIL) : area_tuple2(&from.area, small_make(i), t);
    fragment_area_init(&to, 0);
    assert_int_equal(term_flat_size(t), 2500000);
    t = term_copy(t, &to.area);
    assert_int_equal(term_flat_size(t), 2500000);
    for (Fragment *f = fragment_area_finish(&from), *next; f != NULL; f = next) {
        next = f->next;
        fragment_free(f);
    }
    fragment_free(fragment_area_finish(&to));
}

static int setup(void **state) {
    atom_table_init(1 << 20);
    node_table_init();
    literal_span_init();
    return 0;
}

/* While the thread is offline in a long copy, literals begin to leave. */
static LiteralRange begins_to_leave;
static unsigned times_given_away;
static void give_away(void) {
    times_given_away++;
    literal_counted = literal_leaving = begins_to_leave;
}

static void literals_that_leave_meanwhile_are_copied(void **state) {
    thread_progress_register();
    LiteralArea *la = literal_area_create(3);
    Term literal = area_tuple2(&la->area, small_make(1), small_make(2));
    literal_mark(la);
    begins_to_leave = literal_range(la);
    FragmentArea from, to;
    fragment_area_init(&from, 0);
    Term list = area_cons(&from.area, literal, NIL);
    for (int i = 0; i < LONG_WORK_UNITS; i++)
        list = area_cons(&from.area, small_make(i), list);
    size_t expected[] = {2 * ((size_t)LONG_WORK_UNITS + 1), 2 * ((size_t)LONG_WORK_UNITS + 1) + 3};
    long_work_here.give_away = give_away;
    long_work_begin();
    long_work_open();
    for (int try = 0; try < 2; try++) {
        CopyPhase phase = copy_phase_begin();
        assert_int_equal(term_flat_size_in(list, &phase), expected[try]);
        fragment_area_init(&to, expected[try]);
        Term copy = term_copy_in(list, &to.area, &phase);
        assert_int_equal(term_flat_size_literals(copy), expected[1]);
        assert_true(copy_phase_end(&phase) == (try == 1));
        assert_true(thread_progress_may_read());
        Fragment *made = fragment_area_finish(&to);
        assert_int_equal(made->used, expected[try]);
        fragment_free(made);
    }
    long_work_close();
    assert_true(times_given_away > 0);
    literal_counted = literal_leaving = 0;
    literal_unmark(la);
    for (Fragment *f = fragment_area_finish(&from), *next; f != NULL; f = next) {
        next = f->next;
        fragment_free(f);
    }
    literal_area_free(la);
    long_work_here.give_away = NULL;
    thread_progress_unregister();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_equal_and_apart),
        cmocka_unit_test(deep_terms_need_no_c_stack),
        cmocka_unit_test(literals_that_leave_meanwhile_are_copied),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
