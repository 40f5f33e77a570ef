#include "alloc/status.h"

typedef struct {
    int64_t bytes, blocks;
} Sum;

static void add(Sum *sum, int64_t bytes, int64_t blocks) {
    sum->bytes += bytes;
    sum->blocks += blocks;
}

static void sum_up(Sum sums[SUM_COUNT]) {
    for (unsigned t = 0; t < ALLOC_TYPE_COUNT; t++) {
        AllocSum held = alloc_sum((AllocType)t);
        int64_t bytes = held.bytes - held.slack;
        add(&sums[SUM_TOTAL], bytes, held.blocks);
        add(&sums[SUM_BLOCKS], bytes - held.page_bytes, held.blocks - held.page_blocks);
        add(&sums[SUM_PAGES], held.page_bytes, held.page_blocks);
        add(&sums[maxima_class_sum((AllocType)t)], bytes, held.blocks);
        add(&sums[SUM_TYPES + t], bytes, held.blocks);
    }
}

bool alloc_status(unsigned first, unsigned count, AllocStatus *to) {
    Sum sums[SUM_COUNT] = {0};
    if (!maxima_on)
        return false;
    sum_up(sums);
    for (unsigned i = first; i < first + count; i++)
        *to++ = (AllocStatus){maxima_tell(i, false, sums[i].bytes), maxima_tell(i, true, sums[i].blocks)};
    return true;
}
