/* Arithmetic on all kinds of operands, against the stock runtime's results. */
#include "facts.h"
#include "term/arith.h"

static const struct {
    const char *name;
    Term (*run)(Area *, Term, Term, ArithFail *);
} binary[] = {{"+", arith_add},     {"-", arith_sub},   {"*", arith_mul},     {"/", arith_divide},
              {"div", arith_div},   {"rem", arith_rem}, {"band", arith_band}, {"bor", arith_bor},
              {"bxor", arith_bxor}, {"bsl", arith_bsl}, {"bsr", arith_bsr}};
static const struct {
    const char *name;
    Term (*run)(Area *, Term, ArithFail *);
} unary[] = {{"bnot", arith_bnot},   {"neg", arith_neg},     {"abs", arith_abs},   {"float", arith_float},
             {"round", arith_round}, {"trunc", arith_trunc}, {"ceil", arith_ceil}, {"floor", arith_floor}};

static const char *const fail_name[] = {"ok", "badarith", "badarg", "system_limit"};

/* Is `got` what the fact says? Floats bit for bit. */
static bool is_expected(Term got, ArithFail fail, const char *expected) {
    if (got == NON_VALUE)
        return strcmp(expected, fail_name[fail]) == 0;
    if (expected[0] != '8')
        return false;
    Term t = term_from_hex(expected);
    if (is_float(t) && is_float(got))
        return float_bits(float_value(t)) == float_bits(float_value(got));
    return term_identical(t, got);
}

static void report(unsigned line, Term got, ArithFail fail, const char *expected) {
    TEXT(text);
    if (got == NON_VALUE)
        text_string(&text, fail_name[fail]);
    else
        print_term(&text, got);
    print_error("line %u: %s, expected %s\n", line, text_cstring(&text), expected);
}

static void two_operands(void **state) {
    FILE *f = facts_open("arith.txt");
    char *part[4];
    unsigned line = 0, bad = 0;
    while (facts_line(f, ' ', part, 4) == 4) {
        line++;
        size_t i = 0;
        while (strcmp(binary[i].name, part[0]) != 0)
            i++;
        ArithFail fail = ARITH_OK;
        Term got = binary[i].run(&the_area, term_from_hex(part[1]), term_from_hex(part[2]), &fail);
        if (!is_expected(got, fail, part[3]) && bad++ < 20) {
            print_error("%s %s %s\n", part[0], part[1], part[2]);
            report(line, got, fail, part[3]);
        }
    }
    fclose(f);
    assert_true(line > 100);
    assert_int_equal(bad, 0);
}

static void one_operand(void **state) {
    FILE *f = facts_open("unary.txt");
    char *part[3];
    unsigned line = 0, bad = 0;
    while (facts_line(f, ' ', part, 3) == 3) {
        line++;
        size_t i = 0;
        while (strcmp(unary[i].name, part[0]) != 0)
            i++;
        ArithFail fail = ARITH_OK;
        Term got = unary[i].run(&the_area, term_from_hex(part[1]), &fail);
        if (!is_expected(got, fail, part[2]) && bad++ < 20) {
            print_error("%s %s\n", part[0], part[1]);
            report(line, got, fail, part[2]);
        }
    }
    fclose(f);
    assert_true(line > 100);
    assert_int_equal(bad, 0);
}

static void limits(void **state) {
    ArithFail fail = ARITH_OK;
    Term one = small_make(1);
    Term top = arith_bsl(&the_area, one, small_make(33554367), &fail);
    assert_true(is_big(top));
    assert_true(arith_bsl(&the_area, one, small_make(33554368), &fail) == NON_VALUE);
    assert_int_equal(fail, ARITH_SYSTEM_LIMIT);
    fail = ARITH_OK;
    assert_true(arith_add(&the_area, top, top, &fail) == NON_VALUE);
    assert_int_equal(fail, ARITH_SYSTEM_LIMIT);
    fail = ARITH_OK;
    assert_true(arith_mul(&the_area, top, small_make(2), &fail) == NON_VALUE);
    assert_int_equal(fail, ARITH_SYSTEM_LIMIT);
}

/* -2^n of negative numbers that have a limb less. */
static void limits_of_bits(void **state) {
    ArithFail fail = ARITH_OK;
    Term top = arith_bsl(&the_area, small_make(1), small_make(33554367), &fail);
    Term ones = arith_add(&the_area, arith_sub(&the_area, top, small_make(1), &fail), top, &fail);
    assert_int_equal(fail, ARITH_OK);
    assert_true(arith_bxor(&the_area, ones, small_make(-1), &fail) == NON_VALUE);
    assert_int_equal(fail, ARITH_SYSTEM_LIMIT);
    fail = ARITH_OK;
    Term least = arith_neg(&the_area, ones, &fail), most = arith_neg(&the_area, top, &fail);
    assert_int_equal(fail, ARITH_OK);
    assert_true(arith_band(&the_area, least, most, &fail) == NON_VALUE);
    assert_int_equal(fail, ARITH_SYSTEM_LIMIT);
    fail = ARITH_OK;
    assert_true(is_value(arith_bor(&the_area, least, small_make(1), &fail)));
    assert_int_equal(fail, ARITH_OK);
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(two_operands), unit(one_operand), unit(limits), unit(limits_of_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
