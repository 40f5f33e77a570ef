#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "graph.h"
#include "heap/copy.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "heap/sharing.h"
#include "unit.h"

static Term random_graph(Area *area, uint64_t seed) {
    graph_seed = seed * 0x9e3779b97f4a7c15;
    Term known[12];
    size_t count = 0;
    for (int i = 0; i < 60; i++) {
        Term t = graph_object(area, known, count);
        known[count < 12 ? count++ : graph_random(12)] = t;
    }
    return known[graph_random(count)];
}

/* The words that are said are the words that are taken, and the copy shares what its origin shares. */
static void what_was_shared_is_shared(void **state) {
    for (uint64_t seed = 1; seed < 400; seed++) {
        FragmentArea from, to;
        fragment_area_init(&from, 100);
        Term t = random_graph(&from.area, seed);
        Sharing s, again;
        sharing_init(&s, false);
        size_t words = sharing_measure(&s, t), parts = s.count;
        fragment_area_init(&to, words);
        Term copy = sharing_copy(&s, t, &to.area);
        sharing_release(&s);
        TEXT(before);
        TEXT(after);
        graph_show(&before, t, 20000);
        graph_show(&after, copy, 20000);
        assert_int_equal(before.size, after.size);
        assert_memory_equal(before.bytes, after.bytes, before.size);
        sharing_init(&again, false);
        assert_int_equal(sharing_measure(&again, copy), words);
        assert_true(again.count <= parts); /* parts of a binary may have shared their origin */
        sharing_release(&again);
        fragments_free(fragment_area_finish(&from));
        Fragment *made = fragment_area_finish(&to);
        assert_int_equal(made == NULL ? 0 : made->used, words);
        assert_true(made == NULL || made->next == NULL);
        fragments_free(made);
    }
}

/* 2^60 cells if each were copied for itself; and objects in many pages. */
static void doubled_and_wide(void **state) {
    FragmentArea from, to;
    fragment_area_init(&from, 0);
    Term doubled = NIL, wide = NIL;
    for (int i = 0; i < 60; i++)
        doubled = area_cons(&from.area, doubled, doubled);
    for (int i = 0; i < 300000; i++)
        wide = area_cons(&from.area, i % 2 ? wide : area_tuple2(&from.area, small_make(i), doubled), wide);
    Term t = area_cons(&from.area, doubled, wide);
    Sharing s;
    sharing_init(&s, false);
    size_t words = sharing_measure(&s, t);
    assert_int_equal(words, 2 * (60 + 300000 + 1) + 3 * 150000);
    assert_int_equal(s.count, 60 + 300000 + 1 + 150000);
    fragment_area_init(&to, words);
    Term copy = sharing_copy(&s, t, &to.area);
    sharing_release(&s);
    sharing_init(&s, false);
    assert_int_equal(sharing_measure(&s, copy), words);
    sharing_release(&s);
    assert_true(list_head(copy) != list_head(t));
    assert_true(list_head(list_head(copy)) == list_tail(list_head(copy)));
    fragments_free(fragment_area_finish(&from));
    Fragment *made = fragment_area_finish(&to);
    assert_int_equal(made->used, words);
    fragments_free(made);
}

static int setup(void **state) {
    atom_table_init(1 << 20);
    node_table_init();
    literal_span_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_shared_is_shared),
        cmocka_unit_test(doubled_and_wide),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
