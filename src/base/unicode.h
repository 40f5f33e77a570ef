/*
 * UTF-8 as Erlang has it: code points 0 to 16#10FFFF without the surrogates 16#D800 to 16#DFFF, shortest forms only.
 */
#ifndef VIV_BASE_UNICODE_H
#define VIV_BASE_UNICODE_H

#include "base/defs.h"

#define UTF8_MAX_BYTES 4
#define UNICODE_MAX 0x10ffff

static inline bool unicode_is_valid(int64_t c) { return c >= 0 && c <= UNICODE_MAX && !(c >= 0xd800 && c <= 0xdfff); }

typedef enum { UTF8_OK, UTF8_ERROR, UTF8_INCOMPLETE } Utf8Status;
/* Decodes the character at *p (< end) and moves *p behind it. On UTF8_ERROR and UTF8_INCOMPLETE (the text ends within a
 * character that could still become valid) *p stays. */
Utf8Status utf8_decode(const uint8_t **p, const uint8_t *end, uint32_t *character);
/* Writes 1 to 4 bytes; `character` is valid. Returns the count. */
size_t utf8_encode(uint32_t character, uint8_t *out);
static inline size_t utf8_length(uint32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }
/* Characters in valid UTF-8 text, -1 when it is not valid. *latin1 (if not NULL): are all below 256? */
int64_t utf8_count(const uint8_t *text, size_t bytes, bool *latin1);

#endif
