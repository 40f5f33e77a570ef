#include "emu/segment.h"

#include "base/unicode.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/float.h"
#include "term/map.h"

static const Term *const segment_names[SEGMENT_KINDS] = {
    [SEGMENT_APPEND] = &(const Term){am_binary}, [SEGMENT_PRIVATE_APPEND] = &(const Term){am_binary},
    [SEGMENT_BINARY] = &(const Term){am_binary}, [SEGMENT_INTEGER] = &(const Term){am_integer},
    [SEGMENT_FLOAT] = &(const Term){am_float},   [SEGMENT_STRING] = &(const Term){am_string},
    [SEGMENT_UTF8] = &(const Term){am_utf8},     [SEGMENT_UTF16] = &(const Term){am_utf16},
    [SEGMENT_UTF32] = &(const Term){am_utf32},
};

Term segment_fail(Process *p, FailReason reason, const Segment *s, Term why, Term value) {
    Area *area = process_area(p);
    Term cause = area_tuple4(area, small_make((SWord)s->number), *segment_names[s->kind], why, value);
    Term map = map_put(area, map_empty(area), am_cause, cause);
    map = map_put(area, map, am_function, am_format_bs_fail);
    map = map_put(area, map, am_module, am_erl_erts_errors);
    fail_with(p, reason);
    p->fail.error_info = map;
    return NON_VALUE;
}

static bool is_whole_binary(const Segment *s) { return s->size == am_all; }

/* Bits of a segment whose size is an expression. */
static bool explicit_bits(Process *p, Segment *s) {
    if (field_bits(s->size, s->unit, &s->bits))
        return true;
    bool too_large = is_integer(s->size) && !integer_is_negative(s->size);
    segment_fail(p, too_large ? FAIL_SYSTEM_LIMIT : FAIL_BADARG, s, am_size, s->size);
    return false;
}

/* Of whole ones, but the first, it shows here already that they are none. */
static bool binary_bits(Process *p, Segment *s) {
    if (!is_whole_binary(s))
        return explicit_bits(p, s);
    bool is_one = is_bitstring(s->source);
    s->bits = is_one ? bits_size(s->source) : 0;
    if (is_one || s->kind != SEGMENT_BINARY)
        return true;
    segment_fail(p, FAIL_BADARG, s, am_type, s->source);
    return false;
}

/* False: it is no character, which of UTF-8 is told of here from OTP 26 on. */
static bool utf_bits(Process *p, const Segment *s) {
    if (utf_is_valid(s->source) || (s->kind == SEGMENT_UTF8 && !release_has(RELEASE_CHARACTERS_FIRST)))
        return true;
    segment_fail(p, FAIL_BADARG, s, am_type, s->source);
    return false;
}

bool segment_bits(Process *p, Segment *s) {
    switch (s->kind) {
    case SEGMENT_APPEND:
    case SEGMENT_PRIVATE_APPEND:
    case SEGMENT_BINARY: return binary_bits(p, s);
    case SEGMENT_STRING: s->bits = (Word)small_value(s->size) * 8; return true;
    case SEGMENT_UTF8:
        s->bits = utf_is_valid(s->source) ? 8 * utf8_length((uint32_t)small_value(s->source)) : 0;
        return utf_bits(p, s);
    case SEGMENT_UTF16: s->bits = utf_is_valid(s->source) && small_value(s->source) > 0xffff ? 32 : 16; return true;
    case SEGMENT_UTF32: s->bits = 32; return utf_bits(p, s);
    default: return explicit_bits(p, s);
    }
}

static bool number_to_double(Term t, double *d) {
    if (is_float(t)) {
        *d = float_value(t);
        return true;
    }
    return integer_to_double(t, d);
}

/* The bits of a float segment; false with the reason why not. */
static bool float_bits_of(const Segment *s, uint64_t *raw, Term *why, Term *value) {
    double d;
    *value = small_make((SWord)s->bits);
    *why = am_invalid;
    if (s->bits != 16 && s->bits != 32 && s->bits != 64)
        return false;
    *value = s->source;
    *why = am_type;
    if (!is_number(s->source))
        return false;
    *why = am_no_float;
    if (!number_to_double(s->source, &d))
        return false;
    if (s->bits == 64) {
        *raw = float_bits(d);
    } else if (s->bits == 32) {
        float f = (float)d;
        uint32_t word;
        memcpy(&word, &f, sizeof word);
        *raw = word;
    } else {
        _Float16 h = (_Float16)d;
        uint16_t word;
        memcpy(&word, &h, sizeof word);
        *raw = word;
    }
    return true;
}

/* NON_VALUE: nothing is wrong. */
static Term wrong_with_binary(const Segment *s) {
    if (!is_bitstring(s->source))
        return am_type;
    Word have = bits_size(s->source);
    if (is_whole_binary(s))
        return have % s->unit == 0 ? NON_VALUE : am_unit;
    return s->bits <= have ? NON_VALUE : am_short;
}

bool segment_check(Process *p, const Segment *s) {
    Term why, value;
    uint64_t raw;
    switch (s->kind) {
    case SEGMENT_APPEND:
    case SEGMENT_PRIVATE_APPEND:
    case SEGMENT_BINARY:
        why = wrong_with_binary(s);
        if (!is_value(why))
            return true;
        segment_fail(p, FAIL_BADARG, s, why, s->source);
        return false;
    case SEGMENT_INTEGER:
        if (is_integer(s->source))
            return true;
        break;
    case SEGMENT_FLOAT:
        if (float_bits_of(s, &raw, &why, &value))
            return true;
        segment_fail(p, FAIL_BADARG, s, why, value);
        return false;
    case SEGMENT_UTF8:
    case SEGMENT_UTF16:
    case SEGMENT_UTF32:
        if (utf_is_valid(s->source))
            return true;
        break;
    default: return true;
    }
    segment_fail(p, FAIL_BADARG, s, am_type, s->source);
    return false;
}

static bool is_little(const Segment *s) { return s->flags & (FIELD_LITTLE | FIELD_NATIVE); }

static void write_utf(const Segment *s, uint8_t *to, Word at) {
    uint32_t c = (uint32_t)small_value(s->source);
    if (s->kind == SEGMENT_UTF8) {
        uint8_t bytes[UTF8_MAX_BYTES];
        size_t count = utf8_encode(c, bytes);
        bits_copy(to, at, bytes, 0, count * 8);
        return;
    }
    uint16_t units[2] = {(uint16_t)c, 0};
    unsigned count = 1;
    if (s->kind == SEGMENT_UTF32) {
        bits_put(to, at, 32, is_little(s) ? __builtin_bswap32(c) : c);
        return;
    }
    if (c > 0xffff) {
        units[0] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
        units[1] = (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff));
        count = 2;
    }
    for (unsigned i = 0; i < count; i++)
        bits_put(to + 2 * i, at, 16, is_little(s) ? __builtin_bswap16(units[i]) : units[i]);
}

void segment_write(const Segment *s, uint8_t *to, Word at) {
    to += at >> 3;
    at &= 7;
    Term why, value;
    uint64_t raw = 0;
    BitsView view;
    switch (s->kind) {
    case SEGMENT_INTEGER:
        if (is_small(s->source) && s->bits <= 64 && !is_little(s))
            bits_put(to, at, (unsigned)s->bits, (uint64_t)small_value(s->source));
        else
            integer_to_bits(s->source, to, at, s->bits, field_segment_flags(s->flags));
        break;
    case SEGMENT_FLOAT:
        float_bits_of(s, &raw, &why, &value);
        if (is_little(s))
            raw = __builtin_bswap64(raw << (64 - s->bits));
        bits_put(to, at, (unsigned)s->bits, raw);
        break;
    case SEGMENT_STRING: bits_copy(to, at, s->string, 0, s->bits); break;
    case SEGMENT_UTF8:
    case SEGMENT_UTF16:
    case SEGMENT_UTF32: write_utf(s, to, at); break;
    default: bits_view(s->source, &view); bits_copy(to, at, view.bytes, view.bit_offset, s->bits);
    }
}
