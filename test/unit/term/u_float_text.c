/* Floats as text, character for character as the stock runtime. */
#include <math.h>

#include "facts.h"
#include "term/float_shortest.h"
#include "term/float_text.h"

static unsigned bad;

static void check(const char *what, double d, const char *out, size_t length, const char *expected) {
    if (length == 0)
        out = "badarg";
    if (strlen(expected) == (length == 0 ? 6 : length) && memcmp(out, expected, strlen(expected)) == 0)
        return;
    bad++;
    print_error("%s of %.17g: %.*s, expected %s\n", what, d, (int)length, out, expected);
}

static void printing(void **state) {
    FILE *f = facts_open("floats.txt");
    char *part[10], out[FLOAT_TEXT_MAX];
    unsigned line = 0;
    while (facts_line(f, ' ', part, 10) == 10) {
        line++;
        double d = float_from_bits(strtoul(part[0], NULL, 16));
        check("default", d, out, float_text_scientific(d, 20, out), part[1]);
        check("short", d, out, float_text_short(d, out), part[2]);
        check("decimals 3", d, out, float_text_decimals(d, 3, false, out), part[3]);
        check("decimals 3, compact", d, out, float_text_decimals(d, 3, true, out), part[4]);
        check("decimals 18, compact", d, out, float_text_decimals(d, 18, true, out), part[5]);
        check("decimals 19", d, out, float_text_decimals(d, 19, false, out), part[6]);
        check("scientific 5", d, out, float_text_scientific(d, 5, out), part[7]);
        check("scientific 0", d, out, float_text_scientific(d, 0, out), part[8]);
        check("decimals 0", d, out, float_text_decimals(d, 0, false, out), part[9]);
    }
    fclose(f);
    assert_true(line > 100);
    assert_int_equal(bad, 0);
}

static void reading(void **state) {
    FILE *f = facts_open("parse.txt");
    char *part[2];
    bad = 0;
    while (facts_line(f, '|', part, 2) == 2) {
        double d = 0;
        bool good = float_parse(part[0], strlen(part[0]), &d);
        bool expected = strcmp(part[1], "badarg") != 0;
        if (good != expected || (good && float_bits(d) != strtoul(part[1], NULL, 16)))
            bad++, print_error("'%s' reads as %d %.17g, expected %s\n", part[0], good, d, part[1]);
    }
    fclose(f);
    assert_int_equal(bad, 0);
}

/* The nearest decimal of `count` digits, as a number of so many digits. */
static void nearest(double d, int count, uint64_t *digits, int *exponent) {
    char text[40], plain[24];
    snprintf(text, sizeof text, "%.*e", count - 1, d);
    plain[0] = text[0];
    memcpy(plain + 1, text + 2, (size_t)count - 1);
    plain[count] = 0;
    *digits = strtoul(plain, NULL, 10);
    *exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1 - count;
}

static bool reads_back(double d, uint64_t digits, int exponent) {
    char text[40];
    snprintf(text, sizeof text, "%lue%d", digits, exponent);
    return strtod(text, NULL) == d;
}

/* With what the C library prints and reads: the nearest decimal of ever more digits, until one reads back. Below a
 * power of two the doubles lie closer than above it, so the one next to the nearest may be the one. */
static void is_shortest(double d) {
    if (!(d > 0) || !isfinite(d))
        return;
    uint64_t digits;
    int exponent;
    for (int count = 1;; count++) {
        nearest(d, count, &digits, &exponent);
        if (reads_back(d, digits, exponent))
            break;
        if ((float_bits(d) & (((uint64_t)1 << 52) - 1)) == 0 && reads_back(d, ++digits, exponent))
            break;
    }
    ShortestDecimal s = float_shortest(d);
    for (; s.digits % 10 == 0; s.digits /= 10)
        s.exponent++;
    for (; digits % 10 == 0; digits /= 10)
        exponent++;
    if (s.digits != digits || s.exponent != exponent)
        bad++, print_error("%.17g: %lue%d, expected %lue%d\n", d, s.digits, s.exponent, digits, exponent);
}

static uint64_t seed = 88172645463325252;
static uint64_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* Around each power of two and of ten, the least and the greatest, of any bits, and with few digits. */
static void the_shortest(void **state) {
    bad = 0;
    for (int e = -1074; e < 1024; e++)
        for (int by = -2; by <= 2; by++)
            is_shortest(float_from_bits(float_bits(ldexp(1, e)) + (uint64_t)by));
    for (int e = -323; e <= 308; e++)
        for (int by = -2; by <= 2; by++) {
            char text[16];
            snprintf(text, sizeof text, "1e%d", e);
            is_shortest(float_from_bits(float_bits(strtod(text, NULL)) + (uint64_t)by));
        }
    for (uint64_t i = 1; i < 1000; i++) {
        is_shortest(float_from_bits(i));
        is_shortest(float_from_bits(float_bits(INFINITY) - i));
        is_shortest((double)i);
        is_shortest((double)i / 1000);
    }
    for (int i = 0; i < 30000; i++) {
        is_shortest(float_from_bits(next_random() >> 1));
        is_shortest((double)(next_random() >> 11) + 1);
        is_shortest((double)(1 + next_random() % 1000000) * ldexp(1, (int)(next_random() % 60) - 50));
    }
    assert_int_equal(bad, 0);
}

static void tags(void **state) {
    static const double values[] = {0.0, 1.0, -1.0, 1e-70, 1e70, 1e300, -1e300, 5e-324, 1e-200, 0.1};
    static const bool self[] = {true, true, true, true, true, false, false, true, false, true};
    for (size_t i = 0; i < array_length(values); i++) {
        Term t = float_make(&the_area, values[i]);
        assert_true(is_float(t));
        assert_int_equal(is_self_float(t), self[i]);
        assert_true(float_bits(float_value(t)) == float_bits(values[i]));
    }
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(printing), unit(the_shortest), unit(reading), unit(tags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
