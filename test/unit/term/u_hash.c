/* phash2 and phash of many terms, against the stock runtime's; the hash of maps, against that of OTP 27's emulator. */
#include "facts.h"
#include "sys/release.h"
#include "term/compare.h"
#include "term/float.h"
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

static Term shifted(Term bitstring) {
    BitsView view;
    bits_view(bitstring, &view);
    uint8_t *data;
    Term wide = bits_make(&the_area, view.bit_size + 3, &data);
    bits_copy(data, 3, view.bytes, view.bit_offset, view.bit_size);
    return bits_sub(&the_area, wide, 3, view.bit_size);
}

/* Lines made with erts_debug:get_internal_state({internal_hash, Term}) of that emulator. */
static void later_hashes_of_keys(void **state) {
    FILE *f = facts_open("hash27.txt");
    char *part[2];
    unsigned line = 0;
    release_choose_number(27);
    while (facts_line(f, ' ', part, 2) == 2) {
        line++;
        Term t = term_from_hex(part[0]);
        uint32_t expected = (uint32_t)strtoul(part[1], NULL, 16);
        if (term_hash(t) != expected)
            fail_msg("line %u: %x, expected %x", line, term_hash(t), expected);
        if (is_bitstring(t))
            assert_int_equal(term_hash(shifted(t)), expected);
    }
    fclose(f);
    release_choose_number(25);
    assert_true(line >= 40);
}

/* Of kinds whose words are not known too: what is equal hashes alike. */
static void later_hashes_of_equal_keys(void **state) {
    static const char *const terms[] = {"836e080000000000000000ff", "836e09010000000000000000ff",
                                        "83740000000161016102", "836b0003616263"};
    release_choose_number(27);
    for (size_t i = 0; i < array_length(terms); i++)
        assert_int_equal(term_hash(term_from_hex(terms[i])), term_hash(term_from_hex(terms[i])));
    release_choose_number(25);
}

/* A reference without numbers equals one whose numbers are zeros. */
static void references_of_zeros(void **state) {
    static const char *const terms[] = {"835a0000770361406200000007", "835a000177036140620000000700000000",
                                        "835a00027703614062000000070000000000000000"};
    for (unsigned release = 25; release <= 27; release += 2) {
        release_choose_number(release);
        for (size_t i = 1; i < array_length(terms); i++) {
            Term none = term_from_hex(terms[0]), zeros = term_from_hex(terms[i]);
            assert_true(term_equal(none, zeros));
            assert_int_equal(term_hash(none), term_hash(zeros));
            assert_int_equal(term_phash2(none), term_phash2(zeros));
            assert_int_equal(term_phash(none), term_phash(zeros));
        }
    }
    release_choose_number(25);
}

static void deep_terms_need_no_c_stack(void **state) {
    Term t = NIL;
    for (int i = 0; i < 1000000; i++)
        t = area_cons(&the_area, t, small_make(i));
    term_phash2(t);
    term_phash(t);
    term_hash(t);
    release_choose_number(27);
    term_hash(t);
    release_choose_number(25);
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(stored_hashes),        unit(zeros_hash_alike),
                                       unit(later_hashes_of_keys), unit(later_hashes_of_equal_keys),
                                       unit(references_of_zeros),  unit(deep_terms_need_no_c_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
