#include "alloc/block_map.h"

#include "alloc/barrier.h"
#include "alloc/block_record.h"
#include "alloc/cells.h"
#include "alloc/who.h"
#include "base/mix.h"

#include <math.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

_Atomic bool block_map_on;

/* switch_lock comes first. */
static pthread_mutex_t switch_lock = PTHREAD_MUTEX_INITIALIZER, turn_lock = PTHREAD_MUTEX_INITIALIZER;
/* Written under both, while nobody is inside. */
static Cells cells;
static uint32_t generation;
static bool has_sites;
/* Which snapshot was the last to begin. */
static _Atomic uint32_t epoch;
static _Atomic uint64_t missed_blocks, missed_bytes;

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static BlockMapThread *threads;

void block_map_thread_began(BlockMapThread *me) {
    me->random = (uintptr_t)me * MIX_GOLDEN | 1;
    pthread_mutex_lock(&threads_lock);
    me->next = threads;
    if (threads)
        threads->previous = me;
    threads = me;
    pthread_mutex_unlock(&threads_lock);
}

/* Between these two the map that `me` is of stays. Who waits until `me` is out may see that it has come in again, and
 * knows by that, too, what it did before. */
static bool enter(BlockMapThread *me) {
    uint32_t inside = atomic_load_explicit(&me->inside, memory_order_relaxed) + 1;
    atomic_store_explicit(&me->inside, inside, memory_order_release);
    light_barrier();
    if (unlikely(!atomic_load_explicit(&block_map_on, memory_order_acquire))) {
        atomic_store_explicit(&me->inside, inside + 1, memory_order_release);
        return false;
    }
    if (unlikely(me->generation != generation)) {
        me->generation = generation;
        me->records = (RecordQueue){0};
        me->shift = 0;
    }
    return true;
}

static void leave(BlockMapThread *me) {
    uint32_t inside = atomic_load_explicit(&me->inside, memory_order_relaxed);
    atomic_store_explicit(&me->inside, inside + 1, memory_order_release);
}

void block_map_thread_ends(BlockMapThread *me) {
    if (enter(me)) {
        records_give_all(&me->records);
        leave(me);
    }
    pthread_mutex_lock(&threads_lock);
    if (me->next)
        me->next->previous = me->previous;
    *(me->previous ? &me->previous->next : &threads) = me->next;
    pthread_mutex_unlock(&threads_lock);
}

/* Numbers in (0, 1], by xorshift. */
static double draw(BlockMapThread *me) {
    uint64_t x = me->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    me->random = x;
    return (double)((x >> 11) + 1) * 0x1p-53;
}

/* Bytes are drawn one by one, so how many lie between two that are drawn is exponentially distributed, wherever one
 * begins to count. */
static bool is_sampled(BlockMapThread *me, unsigned shift, size_t bytes) {
    if (me->shift != shift) {
        me->shift = shift;
        me->bytes_to_sample = -log(draw(me)) * (double)((uint64_t)1 << shift);
    }
    me->bytes_to_sample -= (double)bytes;
    if (me->bytes_to_sample > 0)
        return false;
    me->bytes_to_sample = -log(draw(me)) * (double)((uint64_t)1 << shift);
    return true;
}

double block_weight(const Block *b) {
    return b->shift ? 1 / -expm1(-(double)b->bytes / (double)((uint64_t)1 << b->shift)) : 1;
}

static void miss(size_t bytes) {
    atomic_fetch_add_explicit(&missed_blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&missed_bytes, bytes, memory_order_relaxed);
}

/* The epoch is looked at when the block is its owner's, not before. */
static void keep(BlockMapThread *me, const Block *b) {
    uint32_t number = records_take(&me->records);
    if (!number || !cells_set(&cells, b->address, number)) {
        miss(b->bytes);
        if (number)
            records_give(&me->records, number);
        return;
    }
    record_write(record_at(number), b, atomic_load_explicit(&epoch, memory_order_acquire));
}

static noinline uint32_t site_here(void) { return alloc_site && alloc_context ? alloc_site(alloc_context) : 0; }

void block_map_came(BlockMapThread *me, AllocType type, const void *ptr, size_t bytes) {
    if (!enter(me))
        return;
    unsigned shift = records_shift();
    if (likely(!shift) || is_sampled(me, shift, bytes)) {
        Block b = {ptr, bytes, alloc_owner, has_sites ? site_here() : 0, type, shift};
        keep(me, &b);
    }
    leave(me);
}

void block_map_goes(BlockMapThread *me, const void *ptr) {
    if (!enter(me))
        return;
    uint32_t number = cells_take(&cells, ptr);
    if (number)
        records_give(&me->records, number);
    leave(me);
}

bool block_map_may_go(BlockMapThread *me, const void *ptr, Block *was) {
    if (!enter(me))
        return false;
    uint32_t number = cells_take(&cells, ptr);
    if (number) {
        *was = record_copy(record_at(number));
        records_give(&me->records, number);
    }
    leave(me);
    return number != 0;
}

void block_map_stays(BlockMapThread *me, const Block *was) {
    if (!enter(me))
        return;
    keep(me, was);
    leave(me);
}

/* `me` does not end before the look is over: its end needs threads_lock. */
static void wait_until_out(const BlockMapThread *me) {
    uint32_t inside = atomic_load_explicit(&me->inside, memory_order_acquire);
    while (inside % 2 && atomic_load_explicit(&me->inside, memory_order_acquire) == inside)
        nanosleep(&(struct timespec){0, 20000}, NULL);
}

static void wait_until_all_are_out(void) {
    heavy_barrier();
    pthread_mutex_lock(&threads_lock);
    for (BlockMapThread *t = threads; t; t = t->next)
        wait_until_out(t);
    pthread_mutex_unlock(&threads_lock);
}

/* Of a machine's memory a sixteenth: of 16 GB a map of 32 million blocks. */
static uint64_t default_bytes(void) { return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 16; }

static bool is_on(void) { return atomic_load_explicit(&block_map_on, memory_order_relaxed); }

/* Readers find a map that is off, or one that is whole. */
static void switch_to(bool on) {
    pthread_mutex_lock(&turn_lock);
    atomic_store_explicit(&block_map_on, on, memory_order_release);
    pthread_mutex_unlock(&turn_lock);
}

bool block_map_start(uint64_t record_bytes, bool with_sites) {
    pthread_mutex_lock(&switch_lock);
    bool starts = !is_on() && barrier_is_there() && cells_open(&cells, 4);
    if (starts) {
        generation++;
        has_sites = with_sites;
        records_open(record_bytes ? record_bytes : default_bytes());
        atomic_store_explicit(&missed_blocks, 0, memory_order_relaxed);
        atomic_store_explicit(&missed_bytes, 0, memory_order_relaxed);
        switch_to(true);
    }
    pthread_mutex_unlock(&switch_lock);
    return starts;
}

bool block_map_stop(void) {
    pthread_mutex_lock(&switch_lock);
    bool stops = is_on();
    if (stops) {
        switch_to(false);
        wait_until_all_are_out();
        records_close();
        cells_close(&cells);
    }
    pthread_mutex_unlock(&switch_lock);
    return stops;
}

/* A snapshot is its epoch, and above it the generation of its map. */
uint64_t block_map_snapshot(void) {
    uint64_t snapshot = 0;
    pthread_mutex_lock(&turn_lock);
    if (is_on()) {
        snapshot = (uint64_t)generation << 32 | (atomic_fetch_add_explicit(&epoch, 1, memory_order_relaxed) + 1);
        heavy_barrier();
    }
    pthread_mutex_unlock(&turn_lock);
    return snapshot;
}

static size_t read_groups(uint32_t before, uint32_t *from, Block *to, size_t most) {
    size_t found = 0;
    uint32_t at = *from < RECORDS_BEGIN ? RECORDS_BEGIN : *from / GROUP * GROUP, end = records_end();
    for (; at < end && most >= GROUP; at += GROUP, most -= GROUP)
        found += records_read(at, before, &to[found]);
    *from = at < end ? at : 0;
    return found;
}

ptrdiff_t block_map_read(uint64_t snapshot, uint32_t *from, Block *to, size_t most) {
    ptrdiff_t found = -1;
    pthread_mutex_lock(&turn_lock);
    if (is_on() && snapshot >> 32 == generation)
        found = (ptrdiff_t)read_groups((uint32_t)snapshot, from, to, most);
    pthread_mutex_unlock(&turn_lock);
    return found;
}

BlockMapFigures block_map_figures(void) {
    pthread_mutex_lock(&turn_lock);
    BlockMapFigures figures = {.is_on = is_on()};
    if (figures.is_on)
        records_figures(&figures);
    figures.missed_blocks = atomic_load_explicit(&missed_blocks, memory_order_relaxed);
    figures.missed_bytes = atomic_load_explicit(&missed_bytes, memory_order_relaxed);
    pthread_mutex_unlock(&turn_lock);
    return figures;
}
