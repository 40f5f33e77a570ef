#include "code/compact.h"

/* The number of bytes of a long value whose first byte is `first`. */
static bool read_length(Reader *r, uint8_t first, size_t *length) {
    if (first >> 5 < 7) {
        *length = (size_t)(first >> 5) + 2;
        return true;
    }
    /* One level only: a count that needs a count in turn is longer than any file. */
    uint8_t b = reader_u8(r);
    if (r->bad || (b & 7) != COMPACT_UINT)
        return false;
    if (!(b & 8))
        *length = (size_t)(b >> 4) + 9;
    else if (!(b & 16))
        *length = ((size_t)(b >> 5) << 8 | reader_u8(r)) + 9;
    else {
        size_t count = (size_t)(b >> 5) + 2, value = 0;
        if (count > 4)
            return false;
        for (size_t i = 0; i < count; i++)
            value = value << 8 | reader_u8(r);
        *length = value + 9;
    }
    return !r->bad;
}

bool compact_read(Reader *r, CompactTerm *term) {
    uint8_t first = reader_u8(r);
    *term = (CompactTerm){.tag = compact_tag(first)};
    if (compact_is_short(first)) {
        term->value = first >> COMPACT_SHORT_SHIFT;
        return !r->bad;
    }
    if (!(first & 16)) {
        term->value = (int64_t)(first >> 5) << 8 | reader_u8(r);
        return !r->bad;
    }
    size_t length;
    if (!read_length(r, first, &length))
        return false;
    const uint8_t *p = reader_take(r, length);
    if (p == NULL)
        return false;
    if (length > 8) {
        term->bytes = p;
        term->size = length;
        return true;
    }
    uint64_t value = p[0] & 0x80 ? ~(uint64_t)0 : 0;
    for (size_t i = 0; i < length; i++)
        value = value << 8 | p[i];
    term->value = (int64_t)value;
    return true;
}

bool compact_read_number(Reader *r, CompactTag tag, uint64_t limit, uint64_t *value) {
    CompactTerm term;
    if (!compact_read(r, &term) || term.tag != tag || term.bytes != NULL || term.value < 0 ||
        (uint64_t)term.value > limit)
        return false;
    *value = (uint64_t)term.value;
    return true;
}
