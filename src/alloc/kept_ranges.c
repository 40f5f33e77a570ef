#include "alloc/kept_ranges.h"

static KeptRange remove_at(KeptRanges *kept, unsigned at) {
    KeptRange range = kept->range[at];
    kept->count--;
    for (unsigned i = at; i < kept->count; i++)
        kept->range[i] = kept->range[i + 1];
    kept->bytes -= range.bytes;
    return range;
}

char *kept_ranges_take(KeptRanges *kept, size_t bytes) {
    unsigned i = kept_ranges_are_for(bytes) ? kept->count : 0;
    while (i > 0 && kept->range[i - 1].bytes < bytes)
        i--;
    if (i == 0)
        return NULL;
    KeptRange range = remove_at(kept, i - 1);
    if (range.bytes > bytes)
        kept_ranges_put(kept, range.start + bytes, range.bytes - bytes);
    return range.start;
}

KeptRange kept_ranges_make_room(KeptRanges *kept, size_t bytes) {
    bool has_room = kept->count < KEPT_RANGES_MOST && kept->bytes + bytes <= KEPT_BYTES_MOST;
    return has_room ? (KeptRange){0} : remove_at(kept, 0);
}

void kept_ranges_put(KeptRanges *kept, char *start, size_t bytes) {
    assume(kept->count < KEPT_RANGES_MOST && kept->bytes + bytes <= KEPT_BYTES_MOST);
    kept->range[kept->count++] = (KeptRange){start, bytes};
    kept->bytes += bytes;
}
