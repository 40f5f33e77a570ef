#include "alloc/alloc.h"
#include "base/unicode.h"
#include "emu/interp.h"
#include "emu/segment.h"

/* A binary larger than any memory is refused with system_limit before anyone tries to allocate it. */
#define CREATE_MAX_BITS ((Word)1 << 50)

static Segment segment_read(const Word *list, const Word *words, const Term *x, const Term *E) {
    Segment s = {.kind = (SegmentKind)(words[0] & 0xff),
                 .flags = words[0] >> 8 & 0xff,
                 .unit = words[0] >> 16 & 0xffff,
                 .number = words[0] >> 32};
    if (s.kind == SEGMENT_STRING)
        s.string = (const uint8_t *)(list + words[1]);
    else
        s.source = source_value(x, E, words[1]);
    s.size = source_value(x, E, words[2]);
    return s;
}

/* Both passes over the sizes and values, with nothing changed when one is wrong. `*bits`: of all but a first append. */
static bool segments_check(Process *p, Segment *s, unsigned count, Word *bits) {
    Word sum = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!segment_bits(p, &s[i]))
            return false;
        if (i > 0 || s[i].kind > SEGMENT_PRIVATE_APPEND)
            sum += s[i].bits;
        if (unlikely(s[i].bits > CREATE_MAX_BITS || sum > CREATE_MAX_BITS)) {
            segment_fail(p, FAIL_SYSTEM_LIMIT, &s[i], am_size, s[i].size);
            return false;
        }
    }
    for (unsigned i = 0; i < count; i++)
        if (!segment_check(p, &s[i]))
            return false;
    *bits = sum;
    return true;
}

/*
 * The common case in one pass: a whole binary to append to or none, then integers of up to 64 bits from smalls,
 * strings, and characters in UTF-8. NON_VALUE, with nothing done, for everything else, errors included.
 */
#define EASY_SEGMENTS 8

typedef struct {
    const uint8_t *string; /* NULL: a number */
    uint64_t value;
    Word bits;
    bool little;
} EasySegment;

static inline bool easy_read(const Word *list, const Word *words, const Term *x, const Term *E, EasySegment *e) {
    Term size = source_value(x, E, words[2]);
    switch ((SegmentKind)(words[0] & 0xff)) {
    case SEGMENT_STRING:
        e->string = (const uint8_t *)(list + words[1]);
        e->bits = (Word)small_value(size) * 8;
        return true;
    case SEGMENT_INTEGER: {
        Term value = source_value(x, E, words[1]);
        if (!are_small(value, size) || (Word)small_value(size) > 64)
            return false;
        e->string = NULL;
        e->value = (uint64_t)small_value(value);
        e->bits = (Word)small_value(size) * (words[0] >> 16 & 0xffff);
        e->little = words[0] >> 8 & (FIELD_LITTLE | FIELD_NATIVE);
        return e->bits - 1 < 64;
    }
    case SEGMENT_UTF8: {
        Term value = source_value(x, E, words[1]);
        if (!utf_is_valid(value))
            return false;
        uint32_t character = (uint32_t)small_value(value);
        e->string = NULL;
        e->value = utf8_as_number(character);
        e->bits = 8 * utf8_length(character);
        e->little = false;
        return true;
    }
    default: return false;
    }
}

static inline bool easy_append(const Word *words, const Term *x, const Term *E, Term *bin) {
    *bin = source_value(x, E, words[1]);
    if (words[2] != am_all || !is_bitstring(*bin))
        return false;
    Word unit = words[0] >> 16 & 0xffff;
    return unit == 1 || (unit == 8 && bits_size(*bin) % 8 == 0);
}

static void easy_write(const EasySegment *e, uint8_t *data, Word at) {
    if (e->string != NULL)
        bits_copy(data, at, e->string, 0, e->bits);
    else if (e->little)
        integer_to_bits(small_make((SWord)e->value), data, at, e->bits, SEGMENT_LITTLE);
    else
        bits_put(data, at, (unsigned)e->bits, e->value);
}

static Term create_easy(Process *p, const Term *x, const Term *E, const Word *list, unsigned count) {
    EasySegment segments[EASY_SEGMENTS];
    Term bin;
    Word bits = 0, at = 0;
    if (count > EASY_SEGMENTS)
        return NON_VALUE;
    unsigned first = (list[0] & 0xff) <= SEGMENT_PRIVATE_APPEND ? 1 : 0;
    if (first == 1 && !easy_append(list, x, E, &bin))
        return NON_VALUE;
    for (unsigned i = first; i < count; i++) {
        if (!easy_read(list, list + i * SEGMENT_WORDS, x, E, &segments[i]))
            return NON_VALUE;
        bits += segments[i].bits;
    }
    if (first == 1 && bits == 0)
        return bin;
    uint8_t *data;
    Term result;
    if (first == 0)
        result = bits_make(process_area(p), bits, &data);
    else if ((list[0] & 0xff) == SEGMENT_PRIVATE_APPEND)
        result = bits_private_append(process_area(p), bin, bits, &data, &at);
    else
        result = bits_append(process_area(p), bin, bits, &data, &at);
    for (unsigned i = first; i < count; i++) {
        easy_write(&segments[i], data, at);
        at += segments[i].bits;
    }
    return result;
}

#define SEGMENTS_ON_STACK 16

Term bits_create(Process *p, const Term *x, const Term *E, const Word *list, unsigned count) {
    Term easy = create_easy(p, x, E, list, count);
    if (likely(is_value(easy)))
        return easy;
    Segment few[SEGMENTS_ON_STACK];
    Segment *s = count <= SEGMENTS_ON_STACK ? few : mem_alloc(ALLOC_TEMP, count * sizeof *s);
    for (unsigned i = 0; i < count; i++)
        s[i] = segment_read(list, list + i * SEGMENT_WORDS, x, E);
    Term result = NON_VALUE;
    Word bits;
    if (segments_check(p, s, count, &bits)) {
        uint8_t *data;
        Word at = 0;
        unsigned first = s[0].kind <= SEGMENT_PRIVATE_APPEND ? 1 : 0;
        if (first == 1 && bits == 0)
            result = s[0].source;
        else if (first == 1)
            result = bits_append(process_area(p), s[0].source, bits, &data, &at);
        else
            result = bits_make(process_area(p), bits, &data);
        for (unsigned i = first; i < count; i++) {
            if (s[i].bits == 0)
                continue;
            segment_write(&s[i], data, at);
            at += s[i].bits;
        }
    }
    if (s != few)
        mem_free(ALLOC_TEMP, s);
    return result;
}

/* The compiler computes the size of a comprehension where it can: just that many bytes are taken. */
#define SIZE_UNKNOWN 256
#define SIZE_KNOWN_MAX ((SWord)1 << 30) /* what is larger grows as it is filled */
Term bits_create_writable(Process *p, Term size) {
    bool is_known = is_small(size) && small_value(size) >= 0 && small_value(size) <= SIZE_KNOWN_MAX;
    return bits_init_writable(process_area(p), is_known ? (size_t)small_value(size) : SIZE_UNKNOWN);
}
