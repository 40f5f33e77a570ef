#include "code/free_ranges.h"

#include <string.h>

#include "alloc/alloc.h"

static void insert(FreeRanges *f, size_t at, FreeRange range) {
    if (f->count == f->capacity) {
        f->capacity = f->capacity == 0 ? 8 : 2 * f->capacity;
        f->ranges = mem_realloc(ALLOC_CODE, f->ranges, f->capacity * sizeof *f->ranges);
    }
    memmove(&f->ranges[at + 1], &f->ranges[at], (f->count - at) * sizeof *f->ranges);
    f->ranges[at] = range;
    f->count++;
}

static void erase(FreeRanges *f, size_t at) {
    f->count--;
    memmove(&f->ranges[at], &f->ranges[at + 1], (f->count - at) * sizeof *f->ranges);
}

void free_ranges_init(FreeRanges *f, size_t size) {
    *f = (FreeRanges){0};
    insert(f, 0, (FreeRange){0, size});
}

void free_ranges_release(FreeRanges *f) { mem_free(ALLOC_CODE, f->ranges); }

bool free_ranges_take(FreeRanges *f, size_t size, size_t *start) {
    for (size_t i = 0; i < f->count; i++) {
        FreeRange *range = &f->ranges[i];
        if (range->size < size)
            continue;
        *start = range->start;
        range->start += size;
        range->size -= size;
        if (range->size == 0)
            erase(f, i);
        return true;
    }
    return false;
}

/* The first that begins behind `start`. */
static size_t first_behind(const FreeRanges *f, size_t start) {
    size_t low = 0, high = f->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->ranges[middle].start > start)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

FreeRange free_ranges_give(FreeRanges *f, FreeRange range) {
    size_t at = first_behind(f, range.start);
    if (at < f->count && range.start + range.size == f->ranges[at].start) {
        range.size += f->ranges[at].size;
        erase(f, at);
    }
    if (at > 0 && f->ranges[at - 1].start + f->ranges[at - 1].size == range.start) {
        f->ranges[at - 1].size += range.size;
        return f->ranges[at - 1];
    }
    insert(f, at, range);
    return range;
}
