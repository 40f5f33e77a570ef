#include "emu/bits.h"

#include "base/unicode.h"
#include "emu/source.h"
#include "term/float.h"

static uint64_t swap_bytes(uint64_t value, unsigned bits) { return __builtin_bswap64(value << (64 - bits)); }

/* Little-endian fields of ragged size: whole bytes come first, low ones first; the last, short byte is the highest. */
static uint64_t from_little(uint64_t value, unsigned bits) {
    unsigned ragged = bits & 7;
    if (ragged == 0)
        return swap_bytes(value, bits);
    uint64_t whole = value >> ragged, top = value & ((1u << ragged) - 1);
    return (bits > 8 ? swap_bytes(whole, bits - ragged) : 0) | top << (bits - ragged);
}

Term bits_small_integer(uint64_t value, unsigned bits, Word flags) {
    if (bits == 0)
        return small_make(0);
    if (flags & (FIELD_LITTLE | FIELD_NATIVE))
        value = from_little(value, bits);
    if (flags & FIELD_SIGNED)
        return small_make((SWord)(value << (64 - bits)) >> (64 - bits));
    return small_make((SWord)value);
}

static bool fields_are_there(const MatchContext *c, Word bits, Word behind) {
    Word left = context_left(c);
    return left >= bits && (behind != FIELDS_BYTES_BEHIND || (left - bits) % 8 == 0) &&
           (behind != FIELDS_NONE_BEHIND || left == bits);
}

bool bits_take_fields(MatchContext *c, Term *x, Term *E, const Word *list, Word words, Word bits, Word behind) {
    if (!fields_are_there(c, bits, behind))
        return false;
    uint64_t window = context_peek(c, (unsigned)bits) << (64 - bits);
    for (Word i = 0; i < words; i++) {
        Word field = list[i];
        unsigned count = fields_bits(field);
        uint64_t value = window >> (64 - count);
        window <<= count;
        if (fields_kind(field) == FIELDS_TAKE)
            *register_place(x, E, fields_place(field)) = bits_small_integer(value, count, fields_flags(field));
        else if (fields_kind(field) == FIELDS_VALUE && value != list[++i])
            return false;
    }
    c->offset += bits << 3;
    return true;
}

Term bits_take_integer(Process *p, MatchContext *c, Word bits, Word flags) {
    Word at = c->offset >> 3;
    Term result;
    if (bits < SMALL_BITS)
        result = bits_small_integer(bits == 0 ? 0 : context_peek(c, (unsigned)bits), (unsigned)bits, flags);
    else
        result =
            integer_from_bits(process_area(p), context_bytes(c) + (at >> 3), at & 7, bits, field_segment_flags(flags));
    if (is_value(result))
        c->offset += bits << 3;
    return result;
}

static bool half_to_double(uint16_t half, double *value) {
    unsigned exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 31)
        return false;
    double magnitude =
        exponent == 0 ? __builtin_ldexp(fraction, -24) : __builtin_ldexp(1024 + fraction, (int)exponent - 25);
    *value = half & 0x8000 ? -magnitude : magnitude;
    return true;
}

Term bits_take_float(Process *p, MatchContext *c, Word bits, Word flags) {
    double value;
    if (bits == 0)
        return float_make(process_area(p), 0.0);
    if ((bits != 16 && bits != 32 && bits != 64) || !context_has(c, bits))
        return NON_VALUE;
    uint64_t raw = context_peek(c, (unsigned)bits);
    if (flags & (FIELD_LITTLE | FIELD_NATIVE))
        raw = swap_bytes(raw, (unsigned)bits);
    if (bits == 16) {
        if (!half_to_double((uint16_t)raw, &value))
            return NON_VALUE;
    } else if (bits == 32) {
        uint32_t word = (uint32_t)raw;
        float single;
        memcpy(&single, &word, sizeof single);
        value = single;
    } else {
        value = float_from_bits(raw);
    }
    if (!float_is_finite(value))
        return NON_VALUE;
    c->offset += bits << 3;
    return float_make(process_area(p), value);
}

Term bits_take_bits(Process *p, MatchContext *c, Word bits) {
    Word at = c->offset >> 3;
    c->offset += bits << 3;
    return bits_sub_origin(process_area(p), c->origin, at, bits);
}

static noinline Term take_utf8_slowly(MatchContext *c) {
    uint8_t copy[UTF8_MAX_BYTES];
    Word left = context_left(c) / 8, at = c->offset >> 3;
    if (left == 0)
        return NON_VALUE;
    size_t count = left < UTF8_MAX_BYTES ? left : UTF8_MAX_BYTES;
    const uint8_t *bytes = context_bytes(c) + (at >> 3);
    if ((at & 7) != 0) {
        bits_copy(copy, 0, bytes, at & 7, count * 8);
        bytes = copy;
    }
    const uint8_t *next = bytes;
    uint32_t character;
    if (utf8_decode(&next, bytes + count, &character) != UTF8_OK)
        return NON_VALUE;
    c->offset += (Word)(next - bytes) << 6;
    return small_make(character);
}

Term bits_take_utf8(MatchContext *c) {
    Word at = c->offset >> 3;
    if (unlikely((at & 7) != 0 || !context_has(c, 8 * UTF8_MAX_BYTES)))
        return take_utf8_slowly(c);
    uint32_t character;
    unsigned count = utf8_decode_four(context_bytes(c) + (at >> 3), &character);
    if (unlikely(count == 0))
        return NON_VALUE;
    c->offset += (Word)count << 6;
    return small_make(character);
}

static uint32_t peek_unit(const MatchContext *c, Word skip, unsigned bits, Word flags) {
    Word at = (c->offset >> 3) + skip;
    uint64_t value = bits_get(context_bytes(c) + (at >> 3), at & 7, bits);
    return (uint32_t)(flags & (FIELD_LITTLE | FIELD_NATIVE) ? swap_bytes(value, bits) : value);
}

Term bits_take_utf16(MatchContext *c, Word flags) {
    if (!context_has(c, 16))
        return NON_VALUE;
    uint32_t unit = peek_unit(c, 0, 16, flags);
    if (unit < 0xd800 || unit > 0xdfff) {
        c->offset += 16 << 3;
        return small_make(unit);
    }
    if (unit > 0xdbff || !context_has(c, 32))
        return NON_VALUE;
    uint32_t low = peek_unit(c, 16, 16, flags);
    if (low < 0xdc00 || low > 0xdfff)
        return NON_VALUE;
    c->offset += 32 << 3;
    return small_make(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
}

Term bits_take_utf32(MatchContext *c, Word flags) {
    if (!context_has(c, 32))
        return NON_VALUE;
    uint32_t character = peek_unit(c, 0, 32, flags);
    if (!unicode_is_valid(character))
        return NON_VALUE;
    c->offset += 32 << 3;
    return small_make(character);
}

bool bits_match_string(MatchContext *c, const uint8_t *expected, Word bits) {
    if (!context_has(c, bits))
        return false;
    Word at = c->offset >> 3;
    BitsView here = {context_bytes(c) + (at >> 3), at & 7, bits}, there = {expected, 0, bits};
    if (!bits_equal(&here, &there))
        return false;
    c->offset += bits << 3;
    return true;
}
