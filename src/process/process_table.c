#include "process/process_table.h"

#include <sched.h>
#include <sys/mman.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "process/bounds.h"
#include "sys/thread.h"

#define SLOTS_OF_ROUND 1024
#define UNITS_PER_SLOT 50 /* of long work: two words of each process, which nobody else has looked at */

#define PID_MASK (((uint64_t)1 << 28) - 1)

static _Atomic(Process *) *slots;
static size_t slot_mask;
/* Free numbers, plus one; 0: nobody has given one here yet. The first turns around it take what was never given. */
static _Atomic(uint32_t) *ring;
static _Atomic Birth *bounds; /* process/bounds.h */
static _Atomic uint64_t turns_to_take, turns_to_give;
static _Atomic size_t live_count;
static _Atomic size_t slots_used; /* slots from here on were never taken */
static _Atomic bool is_numbered_anew; /* all that are free are taken for a moment: the table is not full */

/* Untouched pages cost nothing, so even the largest table may be reserved at once. */
static void *address_space(size_t bytes) {
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        panic("no address space for a table of processes: %zu bytes", bytes);
    return start;
}

void process_table_init(size_t limit) {
    size_t size = PROCESS_LIMIT_MIN;
    while (size < limit && size < PROCESS_LIMIT_MAX)
        size *= 2;
    slots = address_space(size * sizeof *slots);
    ring = address_space(size * sizeof *ring);
    bounds = address_space(size * sizeof *bounds);
    bounds_init(bounds, address_space(size / BOUNDS_BLOCK * sizeof *bounds));
    slot_mask = size - 1;
}

size_t process_table_limit(void) { return slot_mask + 1; }
size_t process_table_count(void) { return atomic_load_explicit(&live_count, memory_order_relaxed); }

/* What was reserved counts from when it is used, in pieces of so many slots: it stays from then on. */
#define PIECE_SLOTS ((size_t)4096)

static void count_piece(size_t first) {
    size_t size = slot_mask + 1 - first < PIECE_SLOTS ? slot_mask + 1 - first : PIECE_SLOTS;
    mem_count_mapped(ALLOC_PROCESS_TABLE, &slots[first], size * sizeof *slots);
    mem_count_mapped(ALLOC_PROCESS_TABLE, &ring[first], size * sizeof *ring);
    mem_count_mapped(ALLOC_PROCESS_TABLE, &bounds[first], size * sizeof *bounds);
}

static void raise_used(size_t count) {
    size_t used = atomic_load_explicit(&slots_used, memory_order_relaxed);
    while (used < count && !atomic_compare_exchange_weak(&slots_used, &used, count)) {
    }
    for (size_t at = (used + PIECE_SLOTS - 1) / PIECE_SLOTS * PIECE_SLOTS; at < count; at += PIECE_SLOTS)
        count_piece(at);
}

static uint64_t take_number(void) {
    uint64_t turn = atomic_fetch_add(&turns_to_take, 1);
    if (turn <= slot_mask)
        return turn;
    race_window("a number is to be taken");
    uint32_t found;
    while ((found = atomic_exchange(&ring[turn & slot_mask], 0)) == 0)
        sched_yield();
    return found - 1;
}

static void give_number(uint64_t number) {
    _Atomic(uint32_t) *place = &ring[atomic_fetch_add(&turns_to_give, 1) & slot_mask];
    race_window("a number is to be given");
    uint32_t next = (uint32_t)(number & PID_MASK) + 1, empty = 0;
    while (!atomic_compare_exchange_strong(place, &empty, next)) {
        empty = 0;
        sched_yield();
    }
}

static bool count_one_more(void) {
    if (atomic_fetch_add(&live_count, 1) <= slot_mask)
        return true;
    atomic_fetch_sub(&live_count, 1);
    return false;
}

Term process_table_reserve(void) {
    while (!count_one_more()) {
        if (!atomic_load(&is_numbered_anew))
            return NON_VALUE;
        sched_yield();
    }
    uint64_t number = take_number();
    raise_used((size_t)(number & slot_mask) + 1);
    return pid_make(number);
}

uint64_t process_table_next(void) {
    uint64_t turn = atomic_load(&turns_to_take);
    uint32_t number = turn <= slot_mask ? (uint32_t)turn + 1 : atomic_load(&ring[turn & slot_mask]);
    return number == 0 ? 0 : number - 1; /* 0: nobody has given it yet */
}

/* All that are free are taken: marks their slots, and says how many they are. (Who finds the table full is counted for
 * a moment, too.) */
static size_t take_all_free(uint64_t *is_free) {
    size_t live = atomic_load(&live_count);
    while (live > slot_mask || !atomic_compare_exchange_weak(&live_count, &live, slot_mask + 1))
        if (live > slot_mask)
            return 0;
    for (size_t i = live; i <= slot_mask; i++) {
        size_t slot = take_number() & slot_mask;
        is_free[slot / 64] |= (uint64_t)1 << slot % 64;
    }
    return slot_mask + 1 - live;
}

void process_table_number_from(uint64_t first) {
    static Mutex lock = MUTEX_INITIALIZER(LOCK_PROCESS_NUMBERS); /* one at a time */
    mutex_lock(&lock);
    atomic_store(&is_numbered_anew, true);
    uint64_t *is_free = mem_calloc(ALLOC_TEMP, (slot_mask + 1) / 8);
    size_t count = take_all_free(is_free);
    atomic_fetch_sub(&live_count, count); /* they are owed to the ring: who comes waits for them there */
    for (uint64_t number = first; number <= first + slot_mask; number++)
        if (is_free[(number & slot_mask) / 64] >> (number & slot_mask) % 64 & 1)
            give_number(number);
    mem_free(ALLOC_TEMP, is_free);
    atomic_store(&is_numbered_anew, false);
    mutex_unlock(&lock);
}

static size_t slot_of(const Process *p) { return pid_data(p->pid) & slot_mask; }

void process_table_set_bound(const Process *p, Birth bound) { bounds_set(slot_of(p), bound); }

size_t process_table_used(void) { return atomic_load(&slots_used); }

Process *process_table_at(size_t slot) {
    assume(thread_progress_may_read());
    return atomic_load_explicit(&slots[slot], memory_order_acquire);
}

void process_table_publish(Process *p) {
    process_table_set_bound(p, BIRTH_NEVER);
    atomic_store_explicit(&slots[slot_of(p)], p, memory_order_release);
}

void process_table_remove(Process *p) {
    atomic_store(&slots[slot_of(p)], NULL);
    process_table_set_bound(p, 0); /* before the slot may be another's */
    give_number(pid_data(p->pid) + slot_mask + 1);
    atomic_fetch_sub(&live_count, 1);
}

void process_table_replace(Process *p) { atomic_store(&slots[slot_of(p)], p); }

Process *process_find(Term pid) {
    assume(thread_progress_may_read());
    Process *p = atomic_load_explicit(&slots[pid_data(pid) & slot_mask], memory_order_acquire);
    return p != NULL && p->pid == pid ? p : NULL;
}

static void each_in(size_t from, size_t end, void (*each)(Process *, void *), void *data) {
    while (end-- > from) {
        Process *p = atomic_load_explicit(&slots[end], memory_order_acquire);
        if (p != NULL)
            each(p, data);
    }
}

/* Nothing is held between two rounds. */
void process_table_each(void (*each)(Process *, void *), void *data) {
    for (size_t end = atomic_load(&slots_used), from; end > 0; end = from) {
        from = end > SLOTS_OF_ROUND ? end - SLOTS_OF_ROUND : 0;
        each_in(from, end, each, data);
        LONG_WORK_OPEN;
        long_work_count((int64_t)(end - from) * UNITS_PER_SLOT);
    }
}
