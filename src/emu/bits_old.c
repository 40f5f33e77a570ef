/* Building piece by piece, as compilers did it before bs_create_bin. */
#include "emu/segment.h"

#define BUILD_MAX_BITS ((Word)1 << 50)

static bool size_in_bits(Process *p, Term size, Word unit, Word *bits) {
    if (!field_bits(size, unit, bits) || *bits > BUILD_MAX_BITS) {
        bool too_large = is_integer(size) && !integer_is_negative(size);
        fail_with(p, too_large ? FAIL_SYSTEM_LIMIT : FAIL_BADARG);
        return false;
    }
    return true;
}

Term bits_begin(Process *p, BitsBuilding *b, Term size, Word unit) {
    Word bits;
    if (!size_in_bits(p, size, unit, &bits))
        return NON_VALUE;
    Term result = bits_make(process_area(p), bits, &b->data);
    b->at = 0;
    b->end = bits;
    return result;
}

Term bits_begin_append(Process *p, BitsBuilding *b, Term bitstring, Word bitstring_unit, Term size) {
    Word bits;
    if (!size_in_bits(p, size, 1, &bits))
        return NON_VALUE;
    if (!is_bitstring(bitstring) || bits_size(bitstring) % bitstring_unit != 0)
        return fail_badarg(p);
    Term result = bits_append(process_area(p), bitstring, bits, &b->data, &b->at);
    b->end = b->at + bits;
    return result;
}

bool bits_put_field(Process *p, BitsBuilding *b, SegmentKind kind, Word flags, Word unit, Term source, Term size) {
    Segment s = {.kind = kind, .flags = flags, .unit = unit, .source = source, .size = size};
    if (!segment_bits(p, &s) || !segment_check(p, &s) || b->end - b->at < s.bits) {
        fail_badarg(p);
        return false;
    }
    if (s.bits != 0)
        segment_write(&s, b->data, b->at);
    b->at += s.bits;
    return true;
}

bool bits_put_string(BitsBuilding *b, const uint8_t *bytes, Word bits) {
    if (b->end - b->at < bits)
        return false;
    bits_copy(b->data + (b->at >> 3), b->at & 7, bytes, 0, bits);
    b->at += bits;
    return true;
}

Term bits_add_sizes(Process *p, Term left, Term right, Word unit) {
    Word a, b;
    if (!size_in_bits(p, left, 1, &a) || !size_in_bits(p, right, unit, &b))
        return NON_VALUE;
    return a + b <= BUILD_MAX_BITS ? small_make((SWord)(a + b)) : fail_system_limit(p);
}

Term bits_utf_size(SegmentKind kind, Term character) {
    bool is_one = utf_is_valid(character);
    uint32_t c = is_one ? (uint32_t)small_value(character) : 0;
    return small_make(kind == SEGMENT_UTF8 ? (SWord)utf8_length(c) : c > 0xffff ? 4 : 2);
}
