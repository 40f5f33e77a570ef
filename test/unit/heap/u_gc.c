#include "alloc/alloc.h"
#include "graph.h"
#include "heap/copy.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "unit.h"

#include <stdlib.h>

#define KNOWN 300
#define SHOWN 4000 /* bytes of each root: showing them is nearly all the time that the test takes */

typedef struct {
    Heap heap;
    Term roots[KNOWN];
    size_t count;
} World;

static Rootset rootset(World *w) {
    Rootset roots = {0};
    rootset_add(&roots, w->roots, w->count / 2);
    rootset_add(&roots, w->roots + w->count / 2, w->count - w->count / 2);
    return roots;
}

static void show(World *w, Text *to) {
    for (size_t i = 0; i < w->count; i++)
        graph_show(to, w->roots[i], to->size + SHOWN);
    for (Term *p = w->heap.area.limit; p < w->heap.end; p++)
        if (!is_return_address(*p))
            graph_show(to, *p, to->size + SHOWN);
}

static void build(World *w, size_t objects) {
    for (size_t i = 0; i < objects; i++) {
        Term t = graph_object(&w->heap.area, w->roots, w->count);
        if (w->count < KNOWN && graph_random(2))
            w->roots[w->count++] = t;
        else if (w->count > 0)
            w->roots[graph_random(w->count)] = t;
        if (graph_random(10) == 0 && w->count > 0)
            w->count--;
        if (graph_random(5) == 0 && w->heap.area.limit - w->heap.area.top > 40)
            *--w->heap.area.limit = graph_random(3) ? t : return_address_make((Word *)(uintptr_t)4096);
        else if (graph_random(5) == 0 && w->heap.area.limit < w->heap.end)
            w->heap.area.limit++;
    }
}

static void collect(World *w, size_t need, CollectKind kind) {
    TEXT(before);
    TEXT(after);
    int64_t reductions = 0;
    Rootset roots = rootset(w);
    heap_verify(&w->heap, &roots);
    show(w, &before);
    assert_int_equal(heap_collect(&w->heap, &roots, need, kind, &reductions), COLLECTED);
    assert_true(reductions < 0);
    heap_verify(&w->heap, &roots);
    show(w, &after);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.bytes, after.bytes, before.size);
    assert_true((size_t)(w->heap.area.limit - w->heap.area.top) >= need + STACK_RESERVE);
    assert_null(w->heap.fragments);
}

/* VIV_SEED says where the seeds begin (tools/run_tests --deep gives new ones), VIV_CASES how many there are. */
static uint64_t number_from_environment(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

static void random_graphs_survive(void **state) {
    int64_t binaries = alloc_sum(ALLOC_BINARY).blocks, heaps = alloc_sum(ALLOC_HEAP).blocks;
    uint64_t first = number_from_environment("VIV_SEED", 1), count = number_from_environment("VIV_CASES", 60);
    for (uint64_t seed = first; seed < first + count; seed++) {
        graph_seed = seed * 0x9e3779b97f4a7c15;
        World w = {.count = 0};
        heap_init(&w.heap, 12 + graph_random(400), HEAP_DEFAULT_VIRTUAL_WORDS, (uint16_t)(1 + graph_random(30)));
        for (int round = 0; round < 40; round++) {
            build(&w, 1 + graph_random(200));
            CollectKind kind = (CollectKind)(COLLECT_AUTO + graph_random(20) % 4);
            collect(&w, graph_random(20) == 0 ? graph_random(5000) : graph_random(50),
                    graph_random(3) ? COLLECT_AUTO : kind);
        }
        heap_release(&w.heap);
    }
    assert_int_equal(alloc_sum(ALLOC_BINARY).blocks, binaries);
    assert_int_equal(alloc_sum(ALLOC_HEAP).blocks, heaps);
    assert_int_equal(alloc_sum(ALLOC_OLD_HEAP).blocks, 0);
    assert_int_equal(alloc_sum(ALLOC_FRAGMENT).blocks, 0);
}

static void fragments_join_the_heap(void **state) {
    graph_seed = 77;
    World w = {.count = 0};
    heap_init(&w.heap, HEAP_DEFAULT_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    for (int round = 0; round < 100; round++) {
        FragmentArea fa;
        fragment_area_init(&fa, graph_random(2) ? 0 : 20);
        Term known[50];
        size_t count = 0;
        for (int i = 0; i < 100; i++) {
            Term t = graph_object(&fa.area, known, count);
            known[count < 50 ? count++ : graph_random(50)] = t;
        }
        heap_adopt_fragments(&w.heap, fragment_area_finish(&fa));
        w.roots[graph_random(40)] = known[graph_random(50)];
        w.count = 40;
        build(&w, graph_random(100));
        w.count = 40;
        if (graph_random(3) == 0)
            collect(&w, 10, COLLECT_AUTO);
    }
    heap_release(&w.heap);
    assert_int_equal(alloc_sum(ALLOC_FRAGMENT).blocks, 0);
    assert_int_equal(alloc_sum(ALLOC_BINARY).blocks, 0);
}

static void blocks_grow_and_shrink_in_steps(void **state) {
    static const size_t steps[] = {12, 38, 51, 90, 142, 233, 376, 610, 987, 1598, 2586};
    for (size_t i = 0; i + 1 < array_length(steps); i++) {
        assert_int_equal(heap_step(steps[i]), steps[i]);
        assert_int_equal(heap_step(steps[i] + 1), steps[i + 1]);
        assert_int_equal(heap_step_above(steps[i]), steps[i + 1]);
    }
    assert_int_equal(heap_step(833027), 999631);
    assert_int_equal(heap_step(999632), 1199557);
    World w = {.roots = {NIL}, .count = 1};
    heap_init(&w.heap, HEAP_DEFAULT_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    for (int i = 0; i < 100000; i++)
        w.roots[0] = area_cons(&w.heap.area, small_make(i), w.roots[0]);
    collect(&w, 0, COLLECT_MAJOR);
    assert_true(heap_size_words(&w.heap) >= 200000);
    assert_true(heap_size_words(&w.heap) <= 514838);
    w.roots[0] = list_tail(list_tail(w.roots[0]));
    for (int i = 0; i < 20; i++)
        w.roots[0] = NIL;
    collect(&w, 0, COLLECT_MAJOR);
    assert_int_equal(heap_size_words(&w.heap), HEAP_DEFAULT_WORDS);
    collect(&w, 0, COLLECT_HIBERNATE);
    assert_int_equal(heap_size_words(&w.heap), STACK_RESERVE);
    collect(&w, 100, COLLECT_AUTO);
    assert_int_equal(heap_size_words(&w.heap), HEAP_DEFAULT_WORDS);
    heap_release(&w.heap);
}

static void literals_stay(void **state) {
    LiteralArea *literals = literal_area_create(7);
    Term l = area_tuple2(&literals->area, small_make(1), small_make(2));
    l = area_cons(&literals->area, l, NIL);
    assert_true(is_literal(l));
    World w = {.count = 1};
    heap_init(&w.heap, HEAP_DEFAULT_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    w.roots[0] = area_cons(&w.heap.area, l, l);
    collect(&w, 0, COLLECT_MAJOR);
    assert_true(list_head(w.roots[0]) == l && list_tail(w.roots[0]) == l);
    assert_int_equal(term_flat_size(w.roots[0]), 2);
    assert_int_equal(term_flat_size_literals(w.roots[0]), 2 + 2 * 5);
    heap_release(&w.heap);
    literal_area_free(literals);
    LiteralArea *again = literal_area_create(100000);
    assert_true(is_literal_ptr(again->start));
    literal_area_free(again);
}

static void limit_is_told(void **state) {
    World w = {.roots = {NIL}, .count = 1};
    int64_t reductions = 0;
    heap_init(&w.heap, HEAP_DEFAULT_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    w.heap.max_words = 2000;
    w.heap.max_flags = HEAP_MAX_LOG;
    for (int i = 0; i < 1000; i++)
        w.roots[0] = area_cons(&w.heap.area, small_make(i), w.roots[0]);
    Rootset roots = rootset(&w);
    assert_int_equal(heap_collect(&w.heap, &roots, 0, COLLECT_AUTO, &reductions), COLLECT_OVER_LIMIT);
    assert_null(w.heap.fragments);
    heap_release(&w.heap);
}

static size_t size_after_garbage(bool computes, size_t max_words, CollectKind kind) {
    World w = {.count = 0};
    heap_init(&w.heap, HEAP_DEFAULT_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    w.heap.max_words = max_words;
    w.heap.computes = computes;
    for (int i = 0; i < 10; i++) {
        while (w.heap.area.limit - w.heap.area.top > 2 + STACK_RESERVE)
            area_cons(&w.heap.area, NIL, NIL);
        collect(&w, 2, kind);
    }
    size_t words = heap_size_words(&w.heap);
    if (w.heap.is_grown) {
        collect(&w, 0, COLLECT_REST);
        assert_int_equal(heap_total_words(&w.heap), HEAP_DEFAULT_WORDS);
        assert_false(w.heap.is_grown);
    }
    heap_release(&w.heap);
    return words;
}

/* It was set when the block had grown: what is there by then does not count. */
static void a_limit_that_comes_later(void **state) {
    World w = {.roots = {NIL}, .count = 1};
    heap_init(&w.heap, HEAP_DEFAULT_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    w.heap.computes = true;
    for (int i = 0; i < 20; i++) {
        while (w.heap.area.limit - w.heap.area.top > 2 + STACK_RESERVE)
            w.roots[0] = area_cons(&w.heap.area, NIL, NIL);
        collect(&w, 2, COLLECT_AUTO);
    }
    assert_true(w.heap.is_grown);
    w.heap.max_words = 1000;
    w.heap.max_flags = HEAP_MAX_KILL;
    while (w.heap.area.limit - w.heap.area.top > 2 + STACK_RESERVE)
        w.roots[0] = area_cons(&w.heap.area, NIL, NIL);
    collect(&w, 2, COLLECT_AUTO);
    assert_true(heap_total_words(&w.heap) <= 1000);
    heap_release(&w.heap);
}

static void who_computes_has_a_larger_block(void **state) {
    assert_int_equal(size_after_garbage(true, 0, COLLECT_AUTO), 4185);
    assert_int_equal(size_after_garbage(false, 0, COLLECT_AUTO), HEAP_DEFAULT_WORDS);
    assert_int_equal(size_after_garbage(true, 5000, COLLECT_AUTO), HEAP_DEFAULT_WORDS);
    assert_int_equal(size_after_garbage(true, 0, COLLECT_MINOR), HEAP_DEFAULT_WORDS);
    assert_int_equal(size_after_garbage(true, 0, COLLECT_MAJOR), HEAP_DEFAULT_WORDS);
}

static int setup(void **state) {
    atom_table_init(1 << 20);
    node_table_init();
    literal_span_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_survive),
        cmocka_unit_test(fragments_join_the_heap),
        cmocka_unit_test(blocks_grow_and_shrink_in_steps),
        cmocka_unit_test(literals_stay),
        cmocka_unit_test(limit_is_told),
        cmocka_unit_test(who_computes_has_a_larger_block),
        cmocka_unit_test(a_limit_that_comes_later),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
