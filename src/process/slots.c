#include "process/slots.h"

#include <sched.h>
#include <sys/mman.h>

#include "alloc/who.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "sys/thread.h"

#define SLOTS_OF_ROUND 1024
#define UNITS_PER_SLOT 50 /* of long work: two words of each actor, which nobody else has looked at */

#define NUMBER_MASK (((uint64_t)1 << 28) - 1)

/* Untouched pages cost nothing, so even the largest table may be reserved at once. */
static void *address_space(size_t bytes) {
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        panic("no address space for a table of processes: %zu bytes", bytes);
    return start;
}

void slots_init(Slots *s, size_t size, AllocType type, PieceUsed *piece_used) {
    s->type = type;
    s->piece_used = piece_used;
    s->at = address_space(size * sizeof *s->at);
    s->ring = address_space(size * sizeof *s->ring);
    s->mask = size - 1;
}

/* It stays used. */
static void count_piece(const Slots *s, size_t first) {
    size_t count = s->mask + 1 - first < PIECE_SLOTS ? s->mask + 1 - first : PIECE_SLOTS;
    ALLOC_FOR_ALL;
    mem_count_mapped(s->type, &s->at[first], count * sizeof *s->at);
    mem_count_mapped(s->type, &s->ring[first], count * sizeof *s->ring);
    if (s->piece_used != NULL)
        s->piece_used(first, count);
}

static void raise_used(Slots *s, size_t count) {
    size_t used = atomic_load_explicit(&s->used, memory_order_relaxed);
    while (used < count && !atomic_compare_exchange_weak(&s->used, &used, count)) {
    }
    for (size_t at = (used + PIECE_SLOTS - 1) / PIECE_SLOTS * PIECE_SLOTS; at < count; at += PIECE_SLOTS)
        count_piece(s, at);
}

static uint64_t take_number(Slots *s) {
    uint64_t turn = atomic_fetch_add(&s->turns_to_take, 1);
    if (turn <= s->mask)
        return turn;
    race_window("a number is to be taken");
    uint32_t found;
    while ((found = atomic_exchange(&s->ring[turn & s->mask], 0)) == 0)
        sched_yield();
    return found - 1;
}

static void give_number(Slots *s, uint64_t number) {
    _Atomic(uint32_t) *place = &s->ring[atomic_fetch_add(&s->turns_to_give, 1) & s->mask];
    race_window("a number is to be given");
    uint32_t next = (uint32_t)(number & NUMBER_MASK) + 1, empty = 0;
    while (!atomic_compare_exchange_strong(place, &empty, next)) {
        empty = 0;
        sched_yield();
    }
}

static bool count_one_more(Slots *s) {
    if (atomic_fetch_add(&s->live, 1) <= s->mask)
        return true;
    atomic_fetch_sub(&s->live, 1);
    return false;
}

uint64_t slots_reserve(Slots *s) {
    while (!count_one_more(s)) {
        if (!atomic_load(&s->is_numbered_anew))
            return NUMBER_NONE;
        sched_yield();
    }
    uint64_t number = take_number(s);
    raise_used(s, (size_t)(number & s->mask) + 1);
    return number;
}

void slots_give_back(Slots *s, uint64_t number) {
    give_number(s, number + s->mask + 1);
    atomic_fetch_sub(&s->live, 1);
}

uint64_t slots_next(const Slots *s) {
    uint64_t turn = atomic_load(&s->turns_to_take);
    uint32_t number = turn <= s->mask ? (uint32_t)turn + 1 : atomic_load(&s->ring[turn & s->mask]);
    return number == 0 ? 0 : number - 1; /* 0: nobody has given it yet */
}

/* All that are free are taken: marks their slots, and says how many they are. (Who finds the table full is counted for
 * a moment, too.) */
static size_t take_all_free(Slots *s, uint64_t *is_free) {
    size_t live = atomic_load(&s->live);
    while (live > s->mask || !atomic_compare_exchange_weak(&s->live, &live, s->mask + 1))
        if (live > s->mask)
            return 0;
    for (size_t i = live; i <= s->mask; i++) {
        size_t slot = take_number(s) & s->mask;
        is_free[slot / 64] |= (uint64_t)1 << slot % 64;
    }
    return s->mask + 1 - live;
}

void slots_number_from(Slots *s, uint64_t first) {
    static Mutex lock = MUTEX_INITIALIZER(LOCK_PROCESS_NUMBERS); /* one at a time */
    mutex_lock(&lock);
    atomic_store(&s->is_numbered_anew, true);
    uint64_t *is_free = mem_calloc(ALLOC_TEMP, (s->mask + 1) / 8);
    size_t count = take_all_free(s, is_free);
    atomic_fetch_sub(&s->live, count); /* they are owed to the ring: who comes waits for them there */
    for (uint64_t number = first; number <= first + s->mask; number++)
        if (is_free[(number & s->mask) / 64] >> (number & s->mask) % 64 & 1)
            give_number(s, number);
    mem_free(ALLOC_TEMP, is_free);
    atomic_store(&s->is_numbered_anew, false);
    mutex_unlock(&lock);
}

static void each_in(const Slots *s, size_t from, size_t end, void (*each)(struct Process *, void *), void *data) {
    while (end-- > from) {
        struct Process *p = atomic_load_explicit(&s->at[end], memory_order_acquire);
        if (p != NULL)
            each(p, data);
    }
}

/* Nothing is held between two rounds. */
void slots_each(const Slots *s, void (*each)(struct Process *, void *), void *data) {
    for (size_t end = slots_used(s), from; end > 0; end = from) {
        from = end > SLOTS_OF_ROUND ? end - SLOTS_OF_ROUND : 0;
        each_in(s, from, end, each, data);
        LONG_WORK_OPEN;
        long_work_count((int64_t)(end - from) * UNITS_PER_SLOT);
    }
}
