/* What a run says that it took. */
#include "heap/heap.h"
#include "heap/literal.h"
#include "match/match_spec.h"
#include "term/atom.h"
#include "unit.h"

#define LENGTH 100000

static FragmentArea built;
static Area *area(void) { return &built.area; }

static Term numbers(void) {
    Term list = NIL;
    for (int i = 0; i < LENGTH; i++)
        list = area_cons(area(), small_make(i), list);
    return list;
}

static Term variable(void) { return atom_from_cstring("$1"); }

/* What [{{'$1'}, [Guard], [Result]}] says that it took for {Object}. */
static size_t passed(Term head, Term guards, Term result, Term object) {
    Term clause = area_tuple3(area(), area_tuple(area(), &head, 1), guards, area_cons(area(), result, NIL));
    MatchSpec *spec;
    assert_int_equal(match_spec_compile(area_cons(area(), clause, NIL), MATCH_TABLE, &spec, NULL), MATCH_GOOD);
    MatchRun run;
    match_run_init(&run, spec, area(), NIL);
    (void)match_run(&run, area_tuple(area(), &object, 1));
    match_run_release(&run);
    match_spec_free(spec);
    return run.passed;
}

static Term guard(Term expression) { return area_cons(area(), expression, NIL); }

/* Who walks over a table holds others up for as many objects as have passed a certain number of words. */
static void what_takes_long_counts_as_words(void **state) {
    Term list = numbers(), same = numbers(), constant = area_tuple2(area(), am_const, same);
    assert_true(passed(variable(), NIL, am_true, list) < 100);
    assert_true(passed(variable(), guard(area_tuple2(area(), am_length, variable())), am_true, list) > LENGTH / 10);
    assert_true(passed(variable(), guard(area_tuple3(area(), am_identical, variable(), constant)), am_true, list) >
                LENGTH / 10);
    assert_true(passed(same, NIL, am_true, list) > LENGTH / 10);
    assert_true(passed(variable(), NIL, variable(), list) > LENGTH / 10);
}

int main(void) {
    atom_table_init(10000);
    literal_span_init();
    fragment_area_init(&built, 1000);
    const struct CMUnitTest tests[] = {unit(what_takes_long_counts_as_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
