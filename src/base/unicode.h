/*
 * UTF-8 as Erlang has it: code points 0 to 16#10FFFF without the surrogates 16#D800 to 16#DFFF, shortest forms only.
 */
#ifndef VIV_BASE_UNICODE_H
#define VIV_BASE_UNICODE_H

#include "base/defs.h"

#include <string.h>

#define UTF8_MAX_BYTES 4
#define UNICODE_MAX 0x10ffff

static inline bool unicode_is_valid(int64_t c) { return c >= 0 && c <= UNICODE_MAX && !(c >= 0xd800 && c <= 0xdfff); }

typedef enum { UTF8_OK, UTF8_ERROR, UTF8_INCOMPLETE } Utf8Status;
/*
 * The character that four bytes begin with: how many of them it is, 0 where there is none. Each length has one test of
 * all marks at once.
 */
static inline unsigned utf8_decode_four(const uint8_t *bytes, uint32_t *character) {
    uint32_t w, c;
    memcpy(&w, bytes, sizeof w);
    w = __builtin_bswap32(w);
    if ((w & 0x80000000) == 0) {
        *character = w >> 24;
        return 1;
    }
    if ((w & 0xe0c00000) == 0xc0800000) {
        *character = c = (w >> 18 & 0x7c0) | (w >> 16 & 0x3f);
        return c >= 0x80 ? 2 : 0;
    }
    if ((w & 0xf0c0c000) == 0xe0808000) {
        *character = c = (w >> 12 & 0xf000) | (w >> 10 & 0xfc0) | (w >> 8 & 0x3f);
        return c >= 0x800 && (c & 0xf800) != 0xd800 ? 3 : 0;
    }
    *character = c = (w >> 6 & 0x1c0000) | (w >> 4 & 0x3f000) | (w >> 2 & 0xfc0) | (w & 0x3f);
    return (w & 0xf8c0c0c0) == 0xf0808080 && c >= 0x10000 && c <= UNICODE_MAX ? 4 : 0;
}
/* Where there are fewer than four, or where they begin with none. */
Utf8Status utf8_decode_slow(const uint8_t **p, const uint8_t *end, uint32_t *character);
/* Decodes the character at *p (< end) and moves *p behind it. On UTF8_ERROR and UTF8_INCOMPLETE (the text ends within a
 * character that could still become valid) *p stays. */
static inline Utf8Status utf8_decode(const uint8_t **p, const uint8_t *end, uint32_t *character) {
    unsigned length = 0;
    if (likely(**p < 0x80)) {
        *character = *(*p)++;
        return UTF8_OK;
    }
    if (likely(end - *p >= UTF8_MAX_BYTES))
        length = utf8_decode_four(*p, character);
    *p += length;
    return likely(length > 0) ? UTF8_OK : utf8_decode_slow(p, end, character);
}
/* Are the eight bytes ASCII? */
static inline bool utf8_are_ascii(const uint8_t *eight) {
    uint64_t w;
    memcpy(&w, eight, sizeof w);
    return (w & 0x8080808080808080) == 0;
}
/* Are all? */
static inline bool utf8_is_ascii(const uint8_t *text, size_t bytes) {
    uint8_t all = 0;
    for (size_t i = 0; i < bytes; i++)
        all |= text[i];
    return all < 0x80;
}
/* Writes 1 to 4 bytes; `character` is valid. Returns the count. */
size_t utf8_encode(uint32_t character, uint8_t *out);
static inline size_t utf8_length(uint32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }
/* The same as a number: the first byte weighs most. */
static inline uint32_t utf8_as_number(uint32_t c) {
    uint32_t low = c & 0x3f, second = (c >> 6 & 0x3f) << 8, third = (c >> 12 & 0x3f) << 16;
    if (c < 0x80)
        return c;
    if (c < 0x800)
        return 0xc080 | second | low;
    return c < 0x10000 ? 0xe08080 | third | second | low : 0xf0808080 | c >> 18 << 24 | third | second | low;
}
/* Characters in valid UTF-8 text, -1 when it is not valid. *latin1 (if not NULL): are all below 256? */
int64_t utf8_count(const uint8_t *text, size_t bytes, bool *latin1);

#endif
