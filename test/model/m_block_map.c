/*
 * The map of memory blocks: one snapshot has each block that came before it and stays, once, whole, and as it is; never
 * one that went before, or two at one address; and whoever stops the map frees its records and cells under nobody.
 * Addresses are numbers here, and one goes from one owner to the next through `given`, as through an allocator.
 */
#define VIV_ALLOC_PAGES_H
#define VIV_ALLOC_BARRIER_H

#include "model.h"

#include <sched.h>
#include <time.h>

static void *pages_get(size_t bytes) { return model_alloc(bytes); }
static void pages_release(void *pages, size_t bytes) { model_free(pages); }
#define light_barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define heavy_barrier model_heavy_barrier
#define barrier_is_there() true
#define nanosleep(...) sched_yield()

#include "base/defs.h"
#include <stdatomic.h>

#include "alloc/block_map.c"
#include "alloc/block_record.c"
#include "alloc/cells.c"

__thread uint64_t alloc_owner;
__thread const void *alloc_context;
uint32_t (*alloc_site)(const void *context);

/* Whatever is read of a block must fit its address. */
enum { KEPT = 1, FIRST = 1 << (CELLS_LEAF_SHIFT - CELL_SHIFT), SECOND, ADDRESSES }; /* of two leaves */
static const void *address(unsigned n) { return (const void *)(uintptr_t)(n << CELL_SHIFT); }
static uint64_t bytes_of(unsigned n, unsigned owner) { return 100 * owner + n; }

static BlockMapThread threads_of[MODEL_THREADS];
static BlockMapThread *me(void) { return &threads_of[model_self()]; }

static void comes(unsigned n) {
    alloc_owner = model_self() + 1;
    block_map_came(me(), (AllocType)n, address(n), bytes_of(n, model_self() + 1));
}
static void goes(unsigned n) { block_map_goes(me(), address(n)); }

/* Who has an address may give it on. */
static _Atomic bool given;
static void give(void) { atomic_store_explicit(&given, true, memory_order_release); }
static bool take(void) { return atomic_load_explicit(&given, memory_order_acquire); }

static void start(void) {
    for (unsigned i = 0; i < MODEL_THREADS; i++)
        block_map_thread_began(&threads_of[i]);
    model_check(block_map_start(1 << 20, false));
    comes(KEPT);
}

/* Two threads have free records already, the second behind the first. */
static void start_with_records(void) {
    start();
    for (unsigned t = 1; t <= 2; t++) {
        block_map_came(&threads_of[t], ALLOC_TEMP, address(FIRST), 1);
        block_map_goes(&threads_of[t], address(FIRST));
    }
}

/* The first thread takes a group next that is free, and tells of blocks that went. */
static void start_with_used_records(void) {
    start();
    goes(KEPT);
    for (unsigned i = 0; i < 3; i++) {
        unsigned n = (const unsigned[]){FIRST, SECOND, KEPT}[i];
        block_map_came(&threads_of[1], (AllocType)n, address(n), bytes_of(n, 1));
    }
    block_map_goes(&threads_of[1], address(FIRST));
    block_map_goes(&threads_of[1], address(SECOND));
}

/* One snapshot. */
typedef struct {
    unsigned times[ADDRESSES];
    unsigned owner[ADDRESSES];
} Seen;

static void look(const Block *b, Seen *seen) {
    unsigned n = (unsigned)((uintptr_t)b->address >> CELL_SHIFT);
    model_check(n < ADDRESSES && b->type == (AllocType)n && b->bytes == bytes_of(n, (unsigned)b->owner));
    seen->times[n]++;
    seen->owner[n] = (unsigned)b->owner;
}

static bool read_all(uint64_t snapshot, Seen *seen) {
    static __thread Block blocks[GROUP];
    uint32_t from = 0;
    do {
        ptrdiff_t found = block_map_read(snapshot, &from, blocks, GROUP);
        if (found < 0)
            return false;
        for (ptrdiff_t i = 0; i < found; i++)
            look(&blocks[i], seen);
    } while (from != 0);
    return true;
}

/* What is KEPT is owner 1's, the setup's; all else that the setup had has gone. */
static Seen snapshot_of_all(void) {
    Seen seen = {0};
    uint64_t snapshot = block_map_snapshot();
    model_check(snapshot != 0 && read_all(snapshot, &seen));
    model_check(seen.times[KEPT] == 1 && seen.times[FIRST] <= 1 && seen.times[SECOND] <= 1);
    model_check(seen.owner[FIRST] != 1 && seen.owner[SECOND] != 1);
    return seen;
}
static void reads(void) { snapshot_of_all(); }
/* Of an address that was given on: who had it is not told of. */
static void reads_what_was_given(void) {
    bool was_given = take();
    Seen seen = snapshot_of_all();
    model_check(!was_given || seen.owner[FIRST] != 2);
}
static void reads_twice(void) {
    Seen before = snapshot_of_all(), seen = snapshot_of_all();
    model_check(seen.owner[SECOND] == before.owner[SECOND] || before.times[SECOND] == 0);
}

static void comes_and_goes(void) {
    comes(FIRST);
    goes(FIRST);
    give();
}
static void comes_goes_and_comes(void) {
    comes(FIRST);
    goes(FIRST);
    comes(SECOND);
}
static void comes_twice(void) {
    comes(FIRST);
    comes(SECOND);
}
static void takes_the_address(void) {
    if (take())
        comes(FIRST);
}
static void frees_what_is_kept(void) {
    if (take())
        goes(SECOND);
}
static void second_comes_and_goes(void) {
    comes(SECOND);
    goes(SECOND);
}
static void lets_another_free(void) {
    comes(SECOND);
    give();
    comes(FIRST);
}

/* On and off */
static void stops(void) { model_check(block_map_stop()); }
static void stops_and_starts(void) {
    Seen seen = {0};
    model_check(block_map_stop());
    model_check(block_map_snapshot() == 0);
    model_check(block_map_start(1 << 20, false));
    uint64_t snapshot = block_map_snapshot();
    model_check(snapshot != 0 && read_all(snapshot, &seen));
    model_check(seen.times[KEPT] == 0);
}
/* All of the first map, or that it is not there any more. */
static void may_read(void) {
    Seen seen = {0};
    uint64_t snapshot = block_map_snapshot();
    if (snapshot != 0 && read_all(snapshot, &seen) && snapshot >> 32 == 1)
        model_check(seen.times[KEPT] == 1);
}
static void stops_and_starts_at_once(void) {
    model_check(block_map_stop());
    model_check(block_map_start(1 << 20, false));
    comes(KEPT);
}
static void comes_and_ends(void) {
    comes(FIRST);
    block_map_thread_ends(me());
}

static void is_over(void) {
    block_map_stop();
    model_check(!is_on());
}
static void all_have_gone(void) {
    Seen seen = snapshot_of_all();
    model_check(seen.times[FIRST] == 0 && seen.times[SECOND] == 0);
    is_over();
}

#define CASE(name, setup, preemptions, old, ...) CASE_WITH_END(name, setup, is_over, preemptions, old, __VA_ARGS__)
#define CASE_WITH_END(the_name, the_setup, the_end, preemptions, old, ...)                                             \
    {.name = the_name,                                                                                                 \
     .setup = the_setup,                                                                                               \
     .threads = {__VA_ARGS__},                                                                                         \
     .end = the_end,                                                                                                   \
     .bounds = {preemptions, old},                                                                                     \
     .deep_bounds = {preemptions + 1, old + 1}}

MODEL(CASE("one comes and goes, one reads", start, 3, 3, comes_and_goes, reads),
      CASE("a record is used again", start, 3, 3, comes_goes_and_comes, reads),
      CASE("two snapshots", start, 2, 1, comes_goes_and_comes, reads_twice),
      CASE("records of blocks that went are used again", start_with_used_records, 2, 4, comes_twice, reads),
      CASE("an address is used again", start_with_records, 2, 1, comes_and_goes, takes_the_address,
           reads_what_was_given),
      CASE("another frees it", start_with_records, 2, 1, lets_another_free, frees_what_is_kept, reads),
      CASE_WITH_END("where nobody was", start, all_have_gone, 2, 1, comes_and_goes, second_comes_and_goes),
      CASE("it is stopped meanwhile", start, 3, 3, comes_goes_and_comes, stops),
      CASE("it is stopped and started", start, 2, 2, comes_goes_and_comes, stops_and_starts),
      CASE("it is stopped while it is read", start, 2, 1, comes_and_goes, may_read, stops),
      CASE("it is another while it is read", start, 2, 1, may_read, stops_and_starts_at_once),
      CASE("a thread ends, and it is stopped", start, 3, 2, comes_and_ends, stops))
