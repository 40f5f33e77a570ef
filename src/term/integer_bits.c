/*
 * Integers as runs of bytes and bits. A segment of n bits, n no multiple of 8, has its odd bits in the most significant
 * part: first in the stream when big-endian, last when little-endian.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/bits.h"
#include "term/integer.h"

#include <string.h>

#define FIXED 128 /* bytes of working memory on the C stack */

static void reverse(uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        uint8_t b = bytes[i];
        bytes[i] = bytes[count - 1 - i];
        bytes[count - 1 - i] = b;
    }
}

Term integer_from_bytes(Area *area, const uint8_t *bytes, size_t count, bool little, bool negative) {
    size_t limbs = bytes_to_words(count);
    if (limbs > integer_max_limbs() + 1)
        return NON_VALUE;
    uint64_t *to = integer_begin(area, limbs);
    if (limbs > 0)
        to[limbs - 1] = 0;
    memcpy(to, bytes, count);
    if (!little)
        reverse((uint8_t *)to, count);
    return integer_end(area, to, limbs, negative);
}

void integer_magnitude_bytes(Term t, uint8_t *out, size_t count) {
    IntegerView view;
    integer_view(t, &view);
    size_t have = view.count * 8 < count ? view.count * 8 : count;
    memcpy(out, view.limbs, have);
    memset(out + have, 0, count - have);
}

/* Two's complement of a number of `bits` bits, in place. */
static void negate_limbs(uint64_t *limbs, size_t count, Word bits) {
    uint64_t carry = 1;
    for (size_t i = 0; i < count; i++) {
        limbs[i] = ~limbs[i] + carry;
        carry = carry && limbs[i] == 0;
    }
    if (bits % 64 != 0)
        limbs[count - 1] &= ((uint64_t)1 << bits % 64) - 1;
}

/* 9 to 64 bits: from the bits as they stand in a little-endian segment to its value, and back. */
static uint64_t swap_segment(uint64_t v, unsigned bits) {
    unsigned odd = bits % 8, whole = bits - odd;
    return (v & ((1u << odd) - 1)) << whole % 64 | __builtin_bswap64(v >> odd) >> (64 - whole);
}
static uint64_t unswap_segment(uint64_t v, unsigned bits) {
    unsigned odd = bits % 8, whole = bits - odd;
    uint64_t low = v & (~(uint64_t)0 >> (64 - whole)), high = odd == 0 ? 0 : v >> whole;
    return __builtin_bswap64(low) >> (64 - whole) << odd | high;
}

static Term word_from_bits(Area *area, const uint8_t *bytes, Word offset, unsigned bits, SegmentFlags flags) {
    uint64_t v = bits_get(bytes, offset, bits);
    if (flags & SEGMENT_LITTLE && bits > 8)
        v = swap_segment(v, bits);
    if (flags & SEGMENT_SIGNED)
        return integer_from_int64(area, (int64_t)(v << (64 - bits)) >> (64 - bits));
    return integer_from_uint64(area, v);
}

#define MOST_BITS ((Word)integer_max_limbs() * 64)
#define UNITS_PER_WORD 2 /* of long work */

static bool are_all(bool ones, const uint8_t *bytes, Word offset, Word bits) {
    uint64_t same = ones ? ~(uint64_t)0 : 0;
    long_work_count_large(bits / 64, UNITS_PER_WORD);
    for (; bits >= 64; offset += 64, bits -= 64)
        if (bits_get(bytes + (offset >> 3), offset & 7, 64) != same)
            return false;
    return bits == 0 || bits_get(bytes + (offset >> 3), offset & 7, (unsigned)bits) == same >> (64 - bits);
}

/* `bits` of them as limbs, zero above. */
static void limbs_from_bits(uint64_t *to, size_t limbs, const uint8_t *bytes, Word offset, Word bits, bool little) {
    size_t count = (bits + 7) / 8;
    uint8_t *raw = (uint8_t *)to;
    unsigned spare = (unsigned)(-bits & 7);
    to[limbs - 1] = 0;
    raw[0] = 0;
    if (little) {
        bits_copy(raw, 0, bytes, offset, bits);
        raw[count - 1] = (uint8_t)(raw[count - 1] >> spare);
    } else {
        bits_copy(raw, spare, bytes, offset, bits);
        reverse(raw, count);
    }
}

/* The sign, which all bits beyond are: the first of a big-endian segment, of a little-endian one the first of its last
 * byte, odd as that may be. */
static bool sign_of(const uint8_t *bytes, Word offset, Word bits, bool little) {
    Word sign = offset + (!little ? 0 : bits - (bits % 8 == 0 ? 8 : bits % 8));
    return bits_get(bytes + (sign >> 3), sign & 7, 1) != 0;
}

/* More bits than an integer may have: there is one if those beyond are its sign. */
static Term integer_from_too_many(Area *area, const uint8_t *bytes, Word offset, Word bits, SegmentFlags flags) {
    Word beyond = bits - MOST_BITS;
    bool little = (flags & SEGMENT_LITTLE) != 0;
    bool negative = flags & SEGMENT_SIGNED && sign_of(bytes, offset, bits, little);
    Word most = offset + (little ? MOST_BITS : 0), rest = offset + (little ? 0 : beyond);
    if (!are_all(negative, bytes, most, beyond))
        return NON_VALUE;
    if (negative && are_all(false, bytes, rest, MOST_BITS)) /* one more than may be */
        return NON_VALUE;
    uint64_t *to = integer_begin(area, integer_max_limbs());
    limbs_from_bits(to, integer_max_limbs(), bytes + (rest >> 3), rest & 7, MOST_BITS, little);
    if (negative)
        negate_limbs(to, integer_max_limbs(), MOST_BITS);
    return integer_end(area, to, integer_max_limbs(), negative);
}

Term integer_from_bits(Area *area, const uint8_t *bytes, Word offset, Word bits, SegmentFlags flags) {
    if (bits == 0)
        return small_make(0);
    if (likely(bits <= 64))
        return word_from_bits(area, bytes, offset, (unsigned)bits, flags);
    size_t limbs = (bits + 63) / 64;
    if (limbs > integer_max_limbs())
        return integer_from_too_many(area, bytes, offset, bits, flags);
    uint64_t *to = integer_begin(area, limbs);
    limbs_from_bits(to, limbs, bytes, offset, bits, (flags & SEGMENT_LITTLE) != 0);
    bool negative = flags & SEGMENT_SIGNED && to[limbs - 1] >> ((bits - 1) % 64) & 1;
    if (negative)
        negate_limbs(to, limbs, bits);
    return integer_end(area, to, limbs, negative);
}

/* `count` bytes of two's complement, little-endian. */
static void complement_bytes(Term t, uint8_t *out, size_t count) {
    integer_magnitude_bytes(t, out, count);
    if (!integer_is_negative(t))
        return;
    unsigned carry = 1;
    for (size_t i = 0; i < count; i++) {
        carry += (uint8_t)~out[i];
        out[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

static uint64_t low_word(Term t) {
    if (is_small(t))
        return (uint64_t)small_value(t);
    uint64_t v = boxed_ptr(t)[1];
    return integer_is_negative(t) ? -v : v;
}

/* Zeros or ones. */
static void fill_bits(uint8_t *to, Word offset, Word bits, bool ones) {
    uint64_t all = ones ? ~(uint64_t)0 : 0;
    to += offset >> 3;
    offset &= 7;
    if (offset != 0) {
        unsigned first = bits < 8 - offset ? (unsigned)bits : (unsigned)(8 - offset);
        bits_put(to++, offset, first, all);
        bits -= first;
    }
    memset(to, (uint8_t)all, bits / 8);
    if (bits % 8 != 0)
        bits_put(to + bits / 8, 0, (unsigned)(bits % 8), all);
}

static Word own_bits(Term t) {
    IntegerView view;
    integer_view(t, &view);
    return 64 * (is_small(t) ? 1 : view.count);
}

/* What the number itself fills, and in front of it, or behind it, its sign. */
static void put_extended(Term t, Word own, uint8_t *to, Word offset, Word bits, SegmentFlags flags) {
    Word beyond = bits - own;
    bool is_little = (flags & SEGMENT_LITTLE) != 0;
    Word number = offset + (is_little ? 0 : beyond), sign = offset + (is_little ? own : 0);
    fill_bits(to, sign, beyond, integer_is_negative(t));
    integer_to_bits(t, to + (number >> 3), number & 7, own, flags);
}

void integer_to_bits(Term t, uint8_t *to, Word offset, Word bits, SegmentFlags flags) {
    if (bits == 0)
        return;
    if (likely(bits <= 64)) {
        uint64_t v = low_word(t) & (~(uint64_t)0 >> (64 - bits));
        if (flags & SEGMENT_LITTLE && bits > 8)
            v = unswap_segment(v, (unsigned)bits);
        bits_put(to, offset, (unsigned)bits, v);
        return;
    }
    Word own = own_bits(t);
    if (bits > own) {
        put_extended(t, own, to, offset, bits, flags);
        return;
    }
    uint8_t fixed[FIXED];
    size_t count = (bits + 7) / 8;
    uint8_t *raw = count <= FIXED ? fixed : mem_alloc(ALLOC_TEMP, count);
    unsigned spare = (unsigned)(-bits & 7);
    complement_bytes(t, raw, count);
    if (flags & SEGMENT_LITTLE) {
        raw[count - 1] = (uint8_t)(raw[count - 1] << spare);
        bits_copy(to, offset, raw, 0, bits);
    } else {
        reverse(raw, count);
        bits_copy(to, offset, raw, spare, bits);
    }
    if (raw != fixed)
        mem_free(ALLOC_TEMP, raw);
}
