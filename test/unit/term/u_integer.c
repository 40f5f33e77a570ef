/* Integers as text and as segments of the bit syntax. */
#include "facts.h"

static void segments(void **state) {
    FILE *f = facts_open("segments.txt");
    char *part[9];
    unsigned line = 0, bad = 0;
    static const SegmentFlags flags[] = {0, SEGMENT_SIGNED, SEGMENT_LITTLE, SEGMENT_LITTLE | SEGMENT_SIGNED};
    while (facts_line(f, ' ', part, 9) == 9) {
        line++;
        Word size = (Word)atoi(part[0]), offset = (Word)atoi(part[1]);
        Term value = term_from_hex(part[2]), bits[2] = {term_from_hex(part[3]), term_from_hex(part[4])};
        for (size_t i = 0; i < 2; i++) {
            uint8_t *data;
            Term built = bits_make(&the_area, offset + size, &data);
            memset(data, 0, (offset + size + 7) / 8);
            integer_to_bits(value, data, offset, size, i == 0 ? 0 : SEGMENT_LITTLE);
            if (!term_identical(built, bits[i]))
                bad++, print_error("line %u: built %s wrongly\n", line, i == 0 ? "big" : "little");
        }
        for (size_t i = 0; i < 4; i++) {
            BitsView view;
            bits_view(bits[i / 2], &view);
            Term got = integer_from_bits(&the_area, view.bytes, view.bit_offset + offset, size, flags[i]);
            if (!term_identical(got, term_from_hex(part[5 + i])))
                bad++, print_error("line %u: read %zu wrongly\n", line, i);
        }
    }
    fclose(f);
    assert_true(line > 100);
    assert_int_equal(bad, 0);
}

static Term parse(const char *text, unsigned base) { return integer_parse(&the_area, text, strlen(text), base, NULL); }

static void text_round_trip(void **state) {
    static const char *const texts[] = {"0",
                                        "-1",
                                        "1152921504606846975",
                                        "-1152921504606846976",
                                        "1152921504606846976",
                                        "123456789012345678901234567890123456789012345678901234567890",
                                        "-99999999999999999999999999999999999999999999"};
    for (size_t i = 0; i < array_length(texts); i++) {
        char out[200];
        size_t length = integer_to_text(parse(texts[i], 10), 10, out);
        assert_int_equal(length, strlen(texts[i]));
        assert_memory_equal(out, texts[i], length);
    }
    for (unsigned base = 2; base <= 36; base++) {
        char out[400];
        Term t = parse("-123456789012345678901234567890", 10);
        size_t length = integer_to_text(t, base, out);
        assert_true(length <= integer_text_max(t, base));
        assert_true(term_identical(t, integer_parse(&the_area, out, length, base, NULL)));
    }
}

static void text_syntax(void **state) {
    assert_true(parse("+1", 10) == small_make(1));
    assert_true(parse("-0", 10) == small_make(0));
    assert_true(parse("zZ", 36) == small_make(1295));
    static const char *const bad[] = {"", "-", "+", "+-1", " 1", "1 ", "1_0", "1a", "000000000000000000000000000000x"};
    for (size_t i = 0; i < array_length(bad); i++)
        assert_true(parse(bad[i], 10) == NON_VALUE);
    assert_true(parse("0000000000000000000000000000000000000012", 10) == small_make(12));
}

static void int64(void **state) {
    static const int64_t values[] = {
        0, 1, -1, INT64_MAX, INT64_MIN, SMALL_MAX, SMALL_MIN, SMALL_MAX + 1, SMALL_MIN - 1};
    for (size_t i = 0; i < array_length(values); i++) {
        int64_t back;
        Term t = integer_from_int64(&the_area, values[i]);
        assert_int_equal(is_small(t), small_fits(values[i]));
        assert_true(integer_to_int64(t, &back));
        assert_true(back == values[i]);
    }
    uint64_t u;
    int64_t s;
    Term t = integer_from_uint64(&the_area, UINT64_MAX);
    assert_true(integer_to_uint64(t, &u) && u == UINT64_MAX);
    assert_false(integer_to_int64(t, &s));
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(segments), unit(text_round_trip), unit(text_syntax), unit(int64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
