/*
 * Integers of any size. A value that fits 61 bits is a small, never a big; a big's top limb is not zero.
 *
 * Limbs are 64 bits, least significant first, magnitude and sign apart; the arithmetic is GMP's mpn_ layer. A result of
 * more than integer_max_limbs() limbs is refused (system_limit in the callers).
 */
#ifndef VIV_TERM_INTEGER_H
#define VIV_TERM_INTEGER_H

#include "sys/release.h"
#include "term/area.h"

#define INTEGER_INT64_WORDS 2

/* As measured: 1 bsl 33554367 is the largest power of two on OTP 25, 1 bsl 4194239 on OTP 27. */
static inline size_t integer_max_limbs(void) { return release_has(RELEASE_LOWER_LIMIT) ? 65535 : 524287; }

/* Any integer as limbs; `small` is storage for one that is no big. limbs[count-1] != 0, zero has count 0. */
typedef struct {
    const uint64_t *limbs;
    size_t count;
    bool negative;
    uint64_t small;
} IntegerView;
void integer_view(Term integer, IntegerView *view);

/* Building in place: room for `limbs`, to be filled by the caller; then the value, trimmed, what is not needed given
 * back. NON_VALUE beyond the limit. Nothing else is taken from the area in between. */
static inline uint64_t *integer_begin(Area *area, size_t limbs) { return area_alloc(area, limbs + 1) + 1; }
Term integer_end(Area *area, uint64_t *limbs, size_t count, bool negative);

Term integer_make_int64(Area *area, int64_t value);  /* the boxed case of the two below */
Term integer_make_uint64(Area *area, uint64_t value);
static inline Term integer_from_int64(Area *area, int64_t value) {
    return likely(small_fits(value)) ? small_make(value) : integer_make_int64(area, value);
}
static inline Term integer_from_uint64(Area *area, uint64_t value) {
    return likely(value <= (uint64_t)SMALL_MAX) ? small_make((SWord)value) : integer_make_uint64(area, value);
}
/* Leading zero limbs allowed. NON_VALUE when beyond the limit. */
Term integer_from_limbs(Area *area, const uint64_t *limbs, size_t count, bool negative);

/* False when `t` is no integer or does not fit. */
bool integer_to_int64(Term t, int64_t *value);
bool integer_to_uint64(Term t, uint64_t *value);
static inline bool integer_is_negative(Term t) {
    return is_small(t) ? (SWord)t < 0 : header_kind(boxed_header(t)) == KIND_NEG_BIG;
}
size_t integer_bit_length(Term t); /* of the magnitude; 0 for 0 */

/* `d` is finite: its integral part. */
Term integer_from_double(Area *area, double d);
/* Nearest double, ties to even; false when it would be infinite. */
bool integer_to_double(Term t, double *d);

int integer_compare(Term a, Term b);
/* `d` compared exactly with an integer: sign of (integer - d). */
int integer_compare_double(Term integer, double d);

/* Text: base 2 to 36, capitals. integer_text_max includes the sign; integer_to_text returns the length, no NUL. */
size_t integer_text_max(Term t, unsigned base);
size_t integer_to_text(Term t, unsigned base, char *out);
/* [+-]digits, nothing else; NON_VALUE when the text is something else, or (*too_big set, if not NULL) beyond the
 * limit. */
Term integer_parse(Area *area, const char *text, size_t length, unsigned base, bool *too_big);

/* `count` bytes of magnitude. */
Term integer_from_bytes(Area *area, const uint8_t *bytes, size_t count, bool little, bool negative);
/* Writes the magnitude little-endian into `count` bytes (enough of them); for the external format. */
void integer_magnitude_bytes(Term t, uint8_t *out, size_t count);

/* Bit syntax: an integer segment of any size at any offset. */
typedef enum { SEGMENT_LITTLE = 1, SEGMENT_SIGNED = 2 } SegmentFlags;
/* NON_VALUE beyond the limit. */
Term integer_from_bits(Area *area, const uint8_t *bytes, Word bit_offset, Word bits, SegmentFlags flags);
/* Two's complement, truncated to `bits`. */
void integer_to_bits(Term t, uint8_t *bytes, Word bit_offset, Word bits, SegmentFlags flags);

#endif
