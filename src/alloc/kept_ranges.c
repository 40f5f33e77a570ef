#include "alloc/kept_ranges.h"

static KeptRange remove_at(KeptRanges *kept, unsigned at) {
    KeptRange range = kept->range[at];
    kept->count--;
    for (unsigned i = at; i < kept->count; i++)
        kept->range[i] = kept->range[i + 1];
    kept->bytes -= range.bytes;
    return range;
}

static bool has_room(const KeptRanges *kept, size_t bytes) {
    return kept->count < KEPT_RANGES_MOST && kept->bytes + bytes <= KEPT_BYTES_MOST;
}

static void add(KeptRanges *kept, char *start, size_t bytes) {
    kept->range[kept->count++] = (KeptRange){start, bytes};
    kept->bytes += bytes;
}

char *kept_ranges_take(KeptRanges *kept, size_t bytes) {
    unsigned i = kept_ranges_are_for(bytes) ? kept->count : 0;
    while (i > 0 && kept->range[i - 1].bytes < bytes)
        i--;
    if (i == 0)
        return NULL;
    KeptRange range = remove_at(kept, i - 1);
    if (range.bytes > bytes)
        add(kept, range.start + bytes, range.bytes - bytes);
    return range.start;
}

void kept_ranges_put(KeptRanges *kept, char *start, size_t bytes, KeptRangesGive *give, void *owner) {
    if (!kept_ranges_are_for(bytes)) {
        give(owner, start, bytes);
        return;
    }
    while (!has_room(kept, bytes)) {
        KeptRange oldest = remove_at(kept, 0);
        give(owner, oldest.start, oldest.bytes);
    }
    add(kept, start, bytes);
}
