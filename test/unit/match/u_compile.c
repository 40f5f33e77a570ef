/* Specifications that lie where they are used, and what becomes of them when they are kept. */
#include "alloc/alloc.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "match/match_spec.h"
#include "term/atom.h"
#include "unit.h"

#define WORDS 4000

static Term words[WORDS];
static FragmentArea built;

/* [{{name, '$1', ..., '$n'}, [], [{{'$n', {const, {name}}}}]}], among the words. */
static Term specification(unsigned variables) {
    Area area = {.top = words, .limit = words + WORDS};
    Term head[100] = {am_name}, last = am_name;
    for (unsigned i = 1; i <= variables; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "$%u", i);
        head[i] = last = atom_from_cstring(name);
    }
    Term constant = area_tuple2(&area, am_const, area_tuple(&area, head, 1)), pair = area_tuple2(&area, last, constant);
    Term body = area_cons(&area, area_tuple(&area, &pair, 1), NIL);
    return area_cons(&area, area_tuple3(&area, area_tuple(&area, head, variables + 1), NIL, body), NIL);
}

static void forget(void) {
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = NON_VALUE;
}

/* {name, 1, ..., n} gives {n, {name}}. */
static void matches(const MatchSpec *spec, unsigned variables) {
    Term object[100] = {am_name};
    for (unsigned i = 1; i <= variables; i++)
        object[i] = small_make(i);
    MatchRun run;
    match_run_init(&run, spec, &built.area, NIL);
    Term result = match_run(&run, area_tuple(&built.area, object, variables + 1));
    match_run_release(&run);
    assert_true(is_tuple_arity(result, 2));
    assert_true(tuple_elements(result)[0] == object[variables]);
    assert_true(is_tuple_arity(tuple_elements(result)[1], 1));
    assert_true(tuple_elements(tuple_elements(result)[1])[0] == am_name);
}

static int64_t blocks(void) { return alloc_sum(ALLOC_MATCH_SPEC).blocks; }

static void a_small_one_takes_no_memory(void **state) {
    int64_t before = blocks();
    MatchRoom room;
    MatchSpec *spec;
    assert_int_equal(match_spec_compile_here(specification(5), &room, &spec), MATCH_GOOD);
    assert_int_equal(blocks(), before);
    matches(spec, 5);
    match_spec_free(spec);
}

static void a_large_one_gives_its_memory_back(void **state) {
    int64_t before = blocks();
    MatchRoom room;
    MatchSpec *spec;
    assert_int_equal(match_spec_compile_here(specification(90), &room, &spec), MATCH_GOOD);
    assert_true(blocks() > before);
    matches(spec, 90);
    match_spec_free(spec);
    assert_int_equal(blocks(), before);
}

static void one_that_is_kept_needs_neither_its_place_nor_its_terms(void **state) {
    for (unsigned variables = 1; variables <= 90; variables += 89) {
        int64_t before = blocks();
        MatchRoom room;
        MatchSpec *spec;
        assert_int_equal(match_spec_compile_here(specification(variables), &room, &spec), MATCH_GOOD);
        MatchSpec *kept = match_spec_keep(spec);
        room = (MatchRoom){{0}};
        forget();
        matches(kept, variables);
        assert_ptr_equal(match_spec_keep(kept), kept);
        match_spec_free(kept);
        assert_int_equal(blocks(), before);
    }
}

static void a_bad_one_leaves_nothing(void **state) {
    int64_t before = blocks();
    MatchRoom room;
    MatchSpec *spec;
    assert_int_equal(match_spec_compile_here(am_name, &room, &spec), MATCH_BAD);
    assert_null(spec);
    Term clause = tuple_elements(list_head(specification(40)))[0];
    assert_int_equal(match_spec_compile_here(area_cons(&built.area, clause, NIL), &room, &spec), MATCH_BAD);
    assert_int_equal(blocks(), before);
}

int main(void) {
    atom_table_init(10000);
    literal_span_init();
    fragment_area_init(&built, 4000);
    const struct CMUnitTest tests[] = {unit(a_small_one_takes_no_memory), unit(a_large_one_gives_its_memory_back),
                                       unit(one_that_is_kept_needs_neither_its_place_nor_its_terms),
                                       unit(a_bad_one_leaves_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
