/* phash2 and phash of many terms, against the stock runtime's. */
#include "facts.h"
#include "term/hash.h"

static void stored_hashes(void **state) {
    FILE *f = facts_open("hash.txt");
    char *part[3];
    unsigned line = 0, bad = 0;
    while (facts_line(f, ' ', part, 3) == 3) {
        line++;
        Term t = term_from_hex(part[0]);
        uint32_t phash2 = (uint32_t)strtoul(part[1], NULL, 10), phash = (uint32_t)(strtoul(part[2], NULL, 10) - 1);
        if (term_phash2(t) != phash2)
            bad++, print_error("line %u: phash2 %u, expected %u: %.80s\n", line, term_phash2(t), phash2, part[0]);
        if (term_phash(t) != phash)
            bad++, print_error("line %u: phash %u, expected %u: %.80s\n", line, term_phash(t), phash, part[0]);
    }
    fclose(f);
    assert_true(line > 100);
    assert_int_equal(bad, 0);
}

static void zeros_hash_alike(void **state) {
    Term zero = float_make(&the_area, 0.0), minus = float_make(&the_area, -0.0);
    assert_int_equal(term_hash(zero), term_hash(minus));
    assert_int_equal(term_phash2(zero), term_phash2(minus));
}

static void deep_terms_need_no_c_stack(void **state) {
    Term t = NIL;
    for (int i = 0; i < 1000000; i++)
        t = area_cons(&the_area, t, small_make(i));
    term_phash2(t);
    term_phash(t);
    term_hash(t);
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(stored_hashes), unit(zeros_hash_alike), unit(deep_terms_need_no_c_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
