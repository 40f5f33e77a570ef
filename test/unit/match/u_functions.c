/* Which functions match specifications may call goes by the release whose libraries are in use. */
#include "match/program.h"

#include <string.h>

#include "sys/release.h"
#include "term/atom.h"
#include "unit.h"

static const MatchFunction *find(Term name, unsigned arity) {
    for (size_t i = 0; i < match_function_count(); i++)
        if (match_functions[i].name == name && match_functions[i].arity == arity)
            return &match_functions[i];
    return NULL;
}

static void use_release(const char *number) {
    memcpy(otp_release, number, strlen(number) + 1);
    release_choose();
}

static const struct {
    Term name;
    unsigned arity;
} since_26[] = {{am_max, 2},        {am_min, 2},        {am_ceil, 1},       {am_floor, 1},
                {am_is_boolean, 1}, {am_tuple_size, 1}, {am_is_function, 2}};

static void functions_of_26_are_not_in_25(void **state) {
    use_release("25");
    for (size_t i = 0; i < array_length(since_26); i++)
        assert_null(find(since_26[i].name, since_26[i].arity));
    assert_non_null(find(am_is_function, 1));
    assert_non_null(find(am_bsr, 2));
}

static void functions_of_26_are_in_27(void **state) {
    use_release("27.3.4");
    for (size_t i = 0; i < array_length(since_26); i++)
        assert_non_null(find(since_26[i].name, since_26[i].arity));
    assert_non_null(find(am_bsr, 2));
}

static Term call(Term name, Term a, Term b) { return find(name, 2)->function(NULL, NULL, (Term[]){a, b}); }

/* Of two that are equal the first one, as erlang:max/2 and min/2. */
static void max_and_min_go_by_term_order(void **state) {
    use_release("27");
    Term one = small_make(1), two = small_make(2);
    assert_true(call(am_max, one, two) == two && call(am_max, two, one) == two);
    assert_true(call(am_min, one, two) == one && call(am_min, two, one) == one);
    assert_true(call(am_max, two, am_ok) == am_ok && call(am_min, two, am_ok) == two);
    assert_true(call(am_max, NIL, NIL) == NIL);
}

int main(void) {
    atom_table_init(10000);
    const struct CMUnitTest tests[] = {unit(functions_of_26_are_not_in_25), unit(functions_of_26_are_in_27),
                                       unit(max_and_min_go_by_term_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
