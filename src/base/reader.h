/*
 * A reader of bytes that cannot leave its range. What is read past the end is zero and makes the reader `bad` for good,
 * so that a parser may read a whole record and ask once whether all of it was there.
 */
#ifndef VIV_BASE_READER_H
#define VIV_BASE_READER_H

#include "base/defs.h"

typedef struct {
    const uint8_t *at, *end;
    bool bad;
} Reader;

static inline Reader reader_make(const uint8_t *bytes, size_t size) { return (Reader){bytes, bytes + size, false}; }
static inline size_t reader_left(const Reader *r) { return (size_t)(r->end - r->at); }

/* The address of the next `size` bytes, or NULL. */
static inline const uint8_t *reader_take(Reader *r, size_t size) {
    if (unlikely(reader_left(r) < size)) {
        r->bad = true;
        r->at = r->end;
        return NULL;
    }
    const uint8_t *p = r->at;
    r->at += size;
    return p;
}

static inline uint16_t bytes_u16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static inline uint32_t bytes_u32(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline uint64_t bytes_u64(const uint8_t *p) { return (uint64_t)bytes_u32(p) << 32 | bytes_u32(p + 4); }

static inline uint8_t reader_u8(Reader *r) {
    const uint8_t *p = reader_take(r, 1);
    return p ? p[0] : 0;
}
static inline uint16_t reader_u16(Reader *r) {
    const uint8_t *p = reader_take(r, 2);
    return p ? bytes_u16(p) : 0;
}
static inline uint32_t reader_u32(Reader *r) {
    const uint8_t *p = reader_take(r, 4);
    return p ? bytes_u32(p) : 0;
}
static inline uint64_t reader_u64(Reader *r) {
    uint64_t high = reader_u32(r);
    return high << 32 | reader_u32(r);
}

#endif
