#include "base/unicode.h"

static bool is_continuation(uint8_t b) { return (b & 0xc0) == 0x80; }

/* Length told by a first byte; 0 when no character begins so. */
static unsigned sequence_length(uint8_t first) {
    if (first < 0x80)
        return 1;
    if (first < 0xc2)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/* The second byte's range rules out overlong forms, surrogates and what is above 16#10FFFF. */
static bool second_byte_is_valid(uint8_t first, uint8_t second) {
    switch (first) {
    case 0xe0: return second >= 0xa0 && second <= 0xbf;
    case 0xed: return second >= 0x80 && second <= 0x9f;
    case 0xf0: return second >= 0x90 && second <= 0xbf;
    case 0xf4: return second >= 0x80 && second <= 0x8f;
    default: return is_continuation(second);
    }
}

Utf8Status utf8_decode_slow(const uint8_t **p, const uint8_t *end, uint32_t *character) {
    const uint8_t *s = *p;
    uint8_t first = *s;
    unsigned length = sequence_length(first);
    if (length == 0)
        return UTF8_ERROR;
    size_t available = (size_t)(end - s);
    uint32_t c = first & (0x7f >> length);
    for (unsigned i = 1; i < length; i++) {
        if (i == available)
            return UTF8_INCOMPLETE;
        if (i == 1 ? !second_byte_is_valid(first, s[1]) : !is_continuation(s[i]))
            return UTF8_ERROR;
        c = c << 6 | (s[i] & 0x3f);
    }
    *character = c;
    *p = s + length;
    return UTF8_OK;
}

size_t utf8_encode(uint32_t c, uint8_t *out) {
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    size_t length = utf8_length(c);
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = 0x80 | (c & 0x3f);
        c >>= 6;
    }
    out[0] = (uint8_t)(0xf00 >> length) | (uint8_t)c;
    return length;
}

int64_t utf8_count(const uint8_t *text, size_t bytes, bool *latin1) {
    const uint8_t *end = text + bytes;
    int64_t count = 0;
    bool narrow = true;
    while (text < end) {
        uint32_t c;
        if (end - text >= 8 && utf8_are_ascii(text)) {
            text += 8;
            count += 8;
            continue;
        }
        if (utf8_decode(&text, end, &c) != UTF8_OK)
            return -1;
        narrow = narrow && c < 256;
        count++;
    }
    if (latin1 != NULL)
        *latin1 = narrow;
    return count;
}
