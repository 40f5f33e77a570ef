#include "process/call_count.h"

#include "alloc/alloc.h"

/* Freed with the last of its counters. */
typedef struct CountBank {
    struct CountBank *following, **place; /* among those that have room; place is NULL when it has none */
    uint64_t free;                        /* bit i: counter i is nobody's */
    CallCount count[CALL_COUNTS];
    _Atomic int64_t calls[] __attribute__((aligned(CACHE_LINE))); /* a row for other threads, one for each run queue */
} CountBank;
_Static_assert(CALL_COUNTS == 8 * sizeof(uint64_t), "a bit for each");

static CountBank *with_room;

static unsigned row_count(void) { return run_queue_count() + 1; }

static void link_bank(CountBank *b) {
    b->following = with_room;
    b->place = &with_room;
    if (with_room != NULL)
        with_room->place = &b->following;
    with_room = b;
}

static void unlink_bank(CountBank *b) {
    *b->place = b->following;
    if (b->following != NULL)
        b->following->place = b->place;
    b->place = NULL;
}

static CountBank *bank_with_room(void) {
    if (with_room != NULL)
        return with_room;
    size_t bytes = sizeof(CountBank) + row_count() * CALL_COUNTS * sizeof(int64_t);
    CountBank *b = mem_alloc_aligned(ALLOC_TRACE, bytes, CACHE_LINE);
    b->free = UINT64_MAX;
    link_bank(b);
    return b;
}

CallCount *call_count_create(void) {
    CountBank *b = bank_with_room();
    unsigned i = (unsigned)__builtin_ctzll(b->free);
    b->free &= ~(UINT64_C(1) << i);
    if (b->free == 0)
        unlink_bank(b);
    CallCount *c = &b->count[i];
    atomic_init(&c->references, 1);
    atomic_init(&c->is_paused, false);
    atomic_init(&c->zero, 0);
    c->number = (uint8_t)i;
    c->calls = &b->calls[i];
    for (unsigned row = 0; row < row_count(); row++)
        atomic_init(&c->calls[row * CALL_COUNTS], 0);
    return c;
}

void call_count_drop(CallCount *c) {
    if (c == NULL || atomic_fetch_sub_explicit(&c->references, 1, memory_order_acq_rel) > 1)
        return;
    CountBank *b = container_of(c - c->number, CountBank, count[0]);
    b->free |= UINT64_C(1) << c->number;
    if (b->place == NULL)
        link_bank(b);
    if (b->free != UINT64_MAX)
        return;
    unlink_bank(b);
    mem_free(ALLOC_TRACE, b);
}

static int64_t sum(const CallCount *c) {
    int64_t all = 0;
    for (unsigned row = 0; row < row_count(); row++)
        all += atomic_load_explicit(&c->calls[row * CALL_COUNTS], memory_order_relaxed);
    return all;
}

/* No word is older than the zero says. */
int64_t call_count_read(const CallCount *c) {
    int64_t zero = atomic_load_explicit(&c->zero, memory_order_acquire);
    return sum(c) - zero;
}

void call_count_restart(CallCount *c) {
    atomic_store_explicit(&c->zero, sum(c), memory_order_release);
    atomic_store_explicit(&c->is_paused, false, memory_order_relaxed);
}
