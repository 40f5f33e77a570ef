/*
 * Compact terms: how operands are written in Code chunks, and numbers in Line and AtU8 chunks.
 *
 * The low three bits of the first byte are the tag. Bit 3 clear: the value is the high four bits. Bit 4 clear: eleven
 * bits with the next byte. Else the high three bits give the number of big-endian two's complement bytes that follow,
 * less 2; 7 says that a compact term with the count less 9 follows. (Source: "The Erlang Runtime System", chapter 5.)
 */
#ifndef VIV_CODE_COMPACT_H
#define VIV_CODE_COMPACT_H

#include "base/reader.h"

typedef enum {
    COMPACT_UINT,
    COMPACT_INTEGER,
    COMPACT_ATOM,
    COMPACT_X,
    COMPACT_Y,
    COMPACT_LABEL,
    COMPACT_CHARACTER,
    COMPACT_EXTENDED, /* value: 1 list, 2 float register, 3 allocation list, 4 literal, 5 typed register */
} CompactTag;

typedef struct {
    CompactTag tag;
    int64_t value;        /* when `bytes` is NULL */
    const uint8_t *bytes; /* an integer that does not fit: big-endian, two's complement, in the reader's range */
    size_t size;
} CompactTerm;

/* Of a first byte that is all. */
#define COMPACT_SHORT_SHIFT 4
#define COMPACT_SHORT_MAX 15
static inline bool compact_is_short(uint8_t first) { return !(first & 8); }
static inline CompactTag compact_tag(uint8_t first) { return (CompactTag)(first & 7); }

/* False: not a compact term, or it leaves the range. */
bool compact_read(Reader *r, CompactTerm *term);
/* Reads one of that tag with a value of 0 to `limit`. */
bool compact_read_number(Reader *r, CompactTag tag, uint64_t limit, uint64_t *value);

#endif
