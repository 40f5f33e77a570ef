/* Both term orders over all pairs of a list that the stock runtime sorted. */
#include "facts.h"
#include "term/hash.h"

#define MAX_TERMS 1000

static void check_order(const char *file, int (*compare)(Term, Term), bool (*equal)(Term, Term), bool identity) {
    static Term terms[MAX_TERMS];
    static int class[MAX_TERMS];
    FILE *f = facts_open(file);
    char *part[2];
    size_t n = 0, bad = 0;
    while (n < MAX_TERMS && facts_line(f, ' ', part, 2) == 2) {
        terms[n] = term_from_hex(part[0]);
        class[n++] = atoi(part[1]);
    }
    fclose(f);
    assert_true(n > 100);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            int expected = class[i] < class[j] ? -1 : class[i] > class[j];
            int got = compare(terms[i], terms[j]);
            bool same = equal(terms[i], terms[j]);
            if ((got > 0) - (got < 0) != expected || same != (expected == 0)) {
                TEXT(text);
                print_term(&text, terms[i]);
                text_string(&text, " and ");
                print_term(&text, terms[j]);
                if (bad++ < 10)
                    print_error("%s: lines %zu and %zu: order %d, equal %d: %s\n", file, i + 1, j + 1, got, same,
                                text_cstring(&text));
            }
            if (same && identity)
                assert_int_equal(term_hash(terms[i]), term_hash(terms[j]));
        }
    }
    assert_int_equal(bad, 0);
}

static int loose(Term a, Term b) { return term_compare(a, b); }
static int exact(Term a, Term b) { return term_compare_exact(a, b); }
static bool equal(Term a, Term b) { return term_equal(a, b); }
static bool identical(Term a, Term b) { return term_identical(a, b); }

static void term_order(void **state) { check_order("order.txt", loose, equal, false); }
static void exact_order(void **state) { check_order("exact.txt", exact, identical, true); }

static void deep_terms_need_no_c_stack(void **state) {
    Term a = NIL, b = NIL;
    for (int i = 0; i < 1000000; i++) {
        a = area_tuple2(&the_area, a, small_make(i));
        b = area_tuple2(&the_area, b, small_make(i));
    }
    assert_true(term_equal(a, b));
    assert_int_equal(term_compare(a, b), 0);
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(term_order), unit(exact_order), unit(deep_terms_need_no_c_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
