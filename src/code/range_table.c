#include "code/range_table.h"

#include <string.h>

#include "alloc/alloc.h"

typedef struct RangeChunk {
    size_t count; /* at least 1 */
    Range ranges[RANGE_CHUNK];
} RangeChunk;

/* The last chunk that does not start above `address`, the first one when all do. */
static size_t chunk_of(const RangeTable *t, const Word *address) {
    size_t low = 0, high = t->chunk_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (t->index[middle].start <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* How many of its ranges start at or below `address`. */
static size_t count_up_to(const RangeChunk *c, const Word *address) {
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const Range *range_table_find(const RangeTable *t, const Word *address) {
    if (t->chunk_count == 0)
        return NULL;
    const RangeChunk *c = t->index[chunk_of(t, address)].chunk;
    size_t i = count_up_to(c, address);
    return i > 0 && address < c->ranges[i - 1].end ? &c->ranges[i - 1] : NULL;
}

static RangeChunk *chunk_add(RangeTable *t, size_t at) {
    if (t->chunk_count == t->chunk_capacity) {
        t->chunk_capacity = t->chunk_capacity == 0 ? 16 : 2 * t->chunk_capacity;
        t->index = mem_realloc(ALLOC_MODULE, t->index, t->chunk_capacity * sizeof t->index[0]);
    }
    memmove(t->index + at + 1, t->index + at, (t->chunk_count - at) * sizeof t->index[0]);
    t->chunk_count++;
    RangeChunk *c = mem_alloc(ALLOC_MODULE, sizeof *c);
    c->count = 0;
    t->index[at] = (RangeIndex){NULL, c};
    return c;
}

/* The upper half goes into a chunk of its own, right behind. */
static void chunk_split(RangeTable *t, size_t at) {
    RangeChunk *upper = chunk_add(t, at + 1), *lower = t->index[at].chunk;
    size_t kept = lower->count / 2;
    upper->count = lower->count - kept;
    memcpy(upper->ranges, lower->ranges + kept, upper->count * sizeof(Range));
    lower->count = kept;
    t->index[at + 1].start = upper->ranges[0].start;
}

void range_table_add(RangeTable *t, Range range) {
    if (range_table_find(t, range.start) != NULL)
        return;
    if (t->chunk_count == 0)
        (void)chunk_add(t, 0);
    size_t at = chunk_of(t, range.start);
    if (t->index[at].chunk->count == RANGE_CHUNK) {
        chunk_split(t, at);
        at = chunk_of(t, range.start);
    }
    RangeChunk *c = t->index[at].chunk;
    size_t i = count_up_to(c, range.start);
    memmove(c->ranges + i + 1, c->ranges + i, (c->count - i) * sizeof(Range));
    c->ranges[i] = range;
    c->count++;
    t->index[at].start = c->ranges[0].start;
    t->count++;
}

static void chunk_remove(RangeTable *t, size_t at) {
    mem_free(ALLOC_MODULE, t->index[at].chunk);
    t->chunk_count--;
    memmove(t->index + at, t->index + at + 1, (t->chunk_count - at) * sizeof t->index[0]);
}

/* With the one behind it, when both fit into one. */
static bool chunk_merge(RangeTable *t, size_t at) {
    if (at + 1 >= t->chunk_count || t->index[at].chunk->count + t->index[at + 1].chunk->count > RANGE_CHUNK)
        return false;
    RangeChunk *lower = t->index[at].chunk;
    const RangeChunk *upper = t->index[at + 1].chunk;
    memcpy(lower->ranges + lower->count, upper->ranges, upper->count * sizeof(Range));
    lower->count += upper->count;
    chunk_remove(t, at + 1);
    return true;
}

void range_table_remove(RangeTable *t, const Word *start) {
    const Range *found = range_table_find(t, start);
    if (found == NULL || found->start != start)
        return;
    size_t at = chunk_of(t, start);
    RangeChunk *c = t->index[at].chunk;
    size_t i = (size_t)(found - c->ranges);
    c->count--;
    memmove(c->ranges + i, c->ranges + i + 1, (c->count - i) * sizeof(Range));
    t->count--;
    if (c->count == 0) {
        chunk_remove(t, at);
        return;
    }
    t->index[at].start = c->ranges[0].start;
    if (at == 0 || !chunk_merge(t, at - 1))
        (void)chunk_merge(t, at);
}

void range_table_release(RangeTable *t) {
    for (size_t i = 0; i < t->chunk_count; i++)
        mem_free(ALLOC_MODULE, t->index[i].chunk);
    mem_free(ALLOC_MODULE, t->index);
    *t = (RangeTable){0};
}
