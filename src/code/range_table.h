/*
 * Ranges of code addresses, sorted: chunks of at most RANGE_CHUNK ranges, and an index of the chunks.
 *
 * A lookup is two binary searches. Adding or removing moves what stands behind it in one chunk; a chunk that is full is
 * split in two, and two that fit into one become one, so that what comes and goes leaves no memory behind. So the cost
 * does not depend on how many ranges there are (the index, one word for some forty ranges, is moved when a chunk comes
 * or goes). Ranges do not overlap. One thread writes while nobody reads: each code generation has a table of its own
 * (code/ranges.h).
 */
#ifndef VIV_CODE_RANGE_TABLE_H
#define VIV_CODE_RANGE_TABLE_H

#include "base/defs.h"

struct ModuleInstance;

#define RANGE_CHUNK 64
typedef struct {
    const Word *start, *end;
    const struct ModuleInstance *instance;
} Range;
typedef struct {
    const Word *start; /* of its first range */
    struct RangeChunk *chunk;
} RangeIndex;
typedef struct {
    RangeIndex *index;
    size_t chunk_count, chunk_capacity;
    size_t count; /* of ranges */
} RangeTable;

/* The range that holds `address`; NULL when none does. */
const Range *range_table_find(const RangeTable *table, const Word *address);
/* No effect when one that holds its start is there. */
void range_table_add(RangeTable *table, Range range);
/* No effect when there is none that starts at `start`. */
void range_table_remove(RangeTable *table, const Word *start);
void range_table_release(RangeTable *table);

#endif
