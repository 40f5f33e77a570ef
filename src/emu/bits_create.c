#include "alloc/alloc.h"
#include "emu/interp.h"
#include "emu/segment.h"

/* A binary larger than this is refused with system_limit before anyone tries to allocate it. */
#define CREATE_MAX_BITS ((Word)1 << 58)

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

#define SEGMENTS_ON_STACK 16

Term bits_create(Process *p, const Term *x, const Term *E, const Word *list, unsigned count) {
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
        if (first == 1)
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

Term bits_create_writable(Process *p, Term size) {
    SWord bytes = is_small(size) && small_value(size) > 0 && small_value(size) < (1 << 20) ? small_value(size) : 256;
    return bits_init_writable(process_area(p), (size_t)bytes);
}
