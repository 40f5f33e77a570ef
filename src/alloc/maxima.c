#include "alloc/maxima.h"

#include "alloc/alloc.h"

_Static_assert(CLASS_ETS == SUM_TYPES - SUM_CLASSES, "a sum for each class but the last");

typedef struct {
    _Atomic int64_t now, since, ever;
} Sum;

bool maxima_on;
static Sum sums[SUM_COUNT][2]; /* bytes, blocks */
Cells maxima_slacks;

static void raise(_Atomic int64_t *maximum, int64_t to) {
    int64_t is = atomic_load_explicit(maximum, memory_order_relaxed);
    while (is < to &&
           !atomic_compare_exchange_weak_explicit(maximum, &is, to, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void add(Sum *sum, int64_t by) {
    int64_t now = atomic_fetch_add_explicit(&sum->now, by, memory_order_relaxed) + by;
    raise(&sum->since, now);
    raise(&sum->ever, now);
}

unsigned maxima_class_sum(AllocType type) {
    AllocClass class = alloc_type_info[type].class;
    return SUM_CLASSES + (class == CLASS_ETS ? CLASS_SYSTEM : class);
}

static void hand_in(AllocType type, unsigned allocator, int64_t bytes, int64_t blocks) {
    const unsigned of[] = {SUM_TOTAL, allocator, maxima_class_sum(type), SUM_TYPES + type};
    for (unsigned i = 0; i < array_length(of); i++) {
        add(&sums[of[i]][0], bytes);
        add(&sums[of[i]][1], blocks);
    }
}

bool maxima_start(void) {
    maxima_on = cells_open(&maxima_slacks, 1);
    return maxima_on;
}

#define get(counter) atomic_load_explicit(&(counter), memory_order_relaxed)

static void hand_in_type(MaximaThread *me, const HeldCounts *held, unsigned t) {
    int64_t bytes = get(held->bytes[t]) - get(held->slack[t]) - get(held->page_bytes[t]);
    int64_t blocks = get(held->blocks[t]) - get(held->page_blocks[t]);
    if (bytes == me->told_bytes[t] && blocks == me->told_blocks[t])
        return;
    hand_in((AllocType)t, SUM_BLOCKS, bytes - me->told_bytes[t], blocks - me->told_blocks[t]);
    me->told_bytes[t] = bytes;
    me->told_blocks[t] = blocks;
}

void maxima_hand_in(MaximaThread *me, const HeldCounts *held) {
    for (unsigned t = 0; t < ALLOC_TYPE_COUNT; t++)
        hand_in_type(me, held, t);
    me->bytes = me->blocks = 0;
}

void maxima_count_pages(AllocType type, int64_t bytes, int blocks) { hand_in(type, SUM_PAGES, bytes, blocks); }

Maximum maxima_tell(unsigned sum, bool of_blocks, int64_t now) {
    Sum *s = &sums[sum][of_blocks];
    raise(&s->since, now);
    raise(&s->ever, now);
    return (Maximum){now, atomic_exchange_explicit(&s->since, now, memory_order_relaxed),
                     atomic_load_explicit(&s->ever, memory_order_relaxed)};
}
