/* Every character there and back, and any four bytes decoded as by the way that goes byte by byte. */
#include "base/unicode.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void every_character_is_its_number(void **state) {
    for (uint32_t c = 0; c <= UNICODE_MAX; c++) {
        if (!unicode_is_valid(c))
            continue;
        uint8_t bytes[UTF8_MAX_BYTES] = {0};
        size_t count = utf8_encode(c, bytes);
        assert_int_equal(count, utf8_length(c));
        uint32_t number = 0, decoded = 0;
        for (size_t i = 0; i < count; i++)
            number = number << 8 | bytes[i];
        assert_int_equal(utf8_as_number(c), number);
        assert_int_equal(utf8_decode_four(bytes, &decoded), count);
        assert_int_equal(decoded, c);
    }
}

static void decoded_as_byte_by_byte(const uint8_t *bytes) {
    const uint8_t *end = bytes;
    uint32_t expected = 0, character = 0;
    Utf8Status status = utf8_decode(&end, bytes + UTF8_MAX_BYTES, &expected);
    unsigned count = utf8_decode_four(bytes, &character);
    assert_int_equal(count, status == UTF8_OK ? end - bytes : 0);
    if (status == UTF8_OK)
        assert_int_equal(character, expected);
}

/* All pairs in front of those bytes at which ranges end, or one is no continuation. */
static void any_four_bytes(void **state) {
    static const uint8_t ends[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++)
            for (unsigned i = 0; i < sizeof ends; i++)
                for (unsigned j = 0; j < sizeof ends; j++) {
                    const uint8_t bytes[] = {(uint8_t)first, (uint8_t)second, ends[i], ends[j]};
                    decoded_as_byte_by_byte(bytes);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_character_is_its_number),
                                       cmocka_unit_test(any_four_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
