/* Floats as text, character for character as the stock runtime. */
#include "facts.h"
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
    const struct CMUnitTest tests[] = {unit(printing), unit(reading), unit(tags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
