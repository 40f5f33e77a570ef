#include "alloc/alloc.h"
#include "alloc/block_map.h"
#include "alloc/who.h"
#include "sys/thread.h"
#include "unit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { PIECE = 512 };
static Block piece[PIECE];

/* Calls `look` with each block of a snapshot. */
static void walk(void (*look)(const Block *b, void *data), void *data) {
    uint64_t snapshot = block_map_snapshot();
    assert_int_not_equal(snapshot, 0);
    uint32_t at = 0;
    do {
        ptrdiff_t found = block_map_read(snapshot, &at, piece, PIECE);
        assert_true(found >= 0);
        for (ptrdiff_t i = 0; i < found; i++)
            look(&piece[i], data);
    } while (at);
}

typedef struct {
    const void *address;
    Block block;
    unsigned times;
    uint64_t blocks;
    double weight;
} Sought;
static void seek(const Block *b, void *data) {
    Sought *s = data;
    s->blocks++;
    s->weight += block_weight(b);
    if (b->address != s->address)
        return;
    s->block = *b;
    s->times++;
}
static Sought find(const void *address) {
    Sought s = {.address = address};
    walk(seek, &s);
    return s;
}

#define ROOM ((uint64_t)1 << 26)

static void what_came_is_there_until_it_goes(void **state) {
    void *before = mem_alloc(ALLOC_MISC, 100);
    assert_true(block_map_start(ROOM, false));
    assert_false(block_map_start(ROOM, false));
    alloc_owner = 4711;
    void *ptr = mem_alloc(ALLOC_TIMER, 1000);
    alloc_owner = 0;
    Sought s = find(ptr);
    assert_int_equal(s.times, 1);
    assert_int_equal(s.block.bytes, 1000);
    assert_int_equal(s.block.type, ALLOC_TIMER);
    assert_int_equal(s.block.owner, 4711);
    assert_int_equal(find(before).times, 0);
    ptr = mem_realloc(ALLOC_TIMER, ptr, 100000);
    s = find(ptr);
    assert_int_equal(s.block.bytes, 100000);
    mem_free(ALLOC_TIMER, ptr);
    assert_int_equal(find(ptr).times, 0);
    mem_free(ALLOC_MISC, before);
    assert_true(block_map_stop());
    assert_false(block_map_stop());
}

/* The allocators of sanitizers end the program where there is no memory. */
#ifdef VIV_SANITIZE
#define NO_MEMORY_AT_ALL (~(size_t)0)
#else
#define NO_MEMORY_AT_ALL ((size_t)1 << 40)
#endif

static void a_block_that_could_not_grow_stays(void **state) {
    struct rlimit limit, none = {1 << 20, RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &limit);
    assert_true(block_map_start(ROOM, false));
    alloc_owner = 7;
    void *ptr = mem_alloc(ALLOC_TEMP, 50);
    alloc_owner = 8;
    setrlimit(RLIMIT_AS, &none);
    void *grown = mem_try_realloc(ALLOC_TEMP, ptr, NO_MEMORY_AT_ALL);
    setrlimit(RLIMIT_AS, &limit);
    assert_null(grown);
    alloc_owner = 0;
    Sought s = find(ptr);
    assert_int_equal(s.times, 1);
    assert_int_equal(s.block.bytes, 50);
    assert_int_equal(s.block.owner, 7);
    mem_free(ALLOC_TEMP, ptr);
    assert_true(block_map_stop());
}

/* Address space of nobody: cells and records are asked for alone, and no allocator is. */
#define FAR(n) ((const void *)(((uintptr_t)1 << 46) + ((uintptr_t)(n) << 30)))

static void no_more_memory(struct rlimit *limit) {
    struct rlimit none = {1 << 20, RLIM_INFINITY};
    getrlimit(RLIMIT_AS, limit);
    none.rlim_max = limit->rlim_max;
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
}

static void assert_missed(uint64_t blocks, uint64_t bytes) {
    BlockMapFigures figures = block_map_figures();
    assert_int_equal(figures.missed_blocks, blocks);
    assert_int_equal(figures.missed_bytes, bytes);
}

static void what_no_record_is_for_is_missed(void **state) {
    struct rlimit limit;
    assert_true(block_map_start(ROOM, false));
    no_more_memory(&limit);
    mem_count_mapped(ALLOC_TEMP, FAR(1), 4096);
    mem_count_mapped(ALLOC_TEMP, FAR(2), 8192);
    mem_count_unmapped(ALLOC_TEMP, FAR(1), 4096);
    setrlimit(RLIMIT_AS, &limit);
    assert_missed(2, 12288);
    assert_int_equal(find(FAR(2)).times, 0);
    mem_count_unmapped(ALLOC_TEMP, FAR(2), 8192);
    mem_count_mapped(ALLOC_TEMP, FAR(1), 100);
    assert_int_equal(find(FAR(1)).times, 1);
    mem_count_unmapped(ALLOC_TEMP, FAR(1), 100);
    assert_missed(2, 12288);
    assert_true(block_map_stop());
}

/* Its record goes back: nothing is left of it. */
static void what_no_cell_is_for_is_missed(void **state) {
    struct rlimit limit;
    assert_true(block_map_start(ROOM, false));
    mem_count_mapped(ALLOC_TEMP, FAR(1), 100);
    no_more_memory(&limit);
    for (unsigned i = 0; i < 300; i++) /* more than a thread takes at once */
        mem_count_mapped(ALLOC_TEMP, FAR(2), 1);
    mem_count_unmapped(ALLOC_TEMP, FAR(2), 1);
    setrlimit(RLIMIT_AS, &limit);
    assert_missed(300, 300);
    assert_int_equal(find(FAR(1)).times, 1);
    assert_int_equal(find(FAR(1)).blocks, 1);
    mem_count_unmapped(ALLOC_TEMP, FAR(1), 100);
    assert_int_equal(find(FAR(1)).blocks, 0);
    assert_true(block_map_stop());
}

static void a_map_that_has_no_memory_does_not_start(void **state) {
    struct rlimit limit;
    no_more_memory(&limit);
    bool starts = block_map_start(ROOM, false);
    setrlimit(RLIMIT_AS, &limit);
    assert_false(starts);
    assert_false(block_map_figures().is_on);
    assert_true(block_map_start(ROOM, false));
    assert_true(block_map_stop());
}

static void a_stopped_map_is_gone(void **state) {
    assert_true(block_map_start(ROOM, false));
    void *ptr = mem_alloc(ALLOC_TEMP, 50);
    uint64_t snapshot = block_map_snapshot();
    assert_true(block_map_stop());
    assert_int_equal(block_map_snapshot(), 0);
    uint32_t at = 0;
    assert_int_equal(block_map_read(snapshot, &at, piece, PIECE), -1);
    assert_true(block_map_start(ROOM, false));
    assert_int_equal(block_map_read(snapshot, &at, piece, PIECE), -1);
    assert_int_equal(find(ptr).times, 0);
    mem_free(ALLOC_TEMP, ptr);
    assert_true(block_map_stop());
}

static void who_comes_later_is_not_in_it(void **state) {
    assert_true(block_map_start(ROOM, false));
    uint64_t snapshot = block_map_snapshot();
    void *ptr = mem_alloc(ALLOC_TEMP, 50);
    uint32_t at = 0;
    ptrdiff_t found = block_map_read(snapshot, &at, piece, PIECE);
    for (ptrdiff_t i = 0; i < found; i++)
        assert_ptr_not_equal(piece[i].address, ptr);
    mem_free(ALLOC_TEMP, ptr);
    assert_true(block_map_stop());
}

/* A million blocks, of which 4096 records may tell: the sum that they stand for is near. */
static void past_its_room_it_samples(void **state) {
    enum { BLOCKS = 1 << 18 };
    void **held = malloc(BLOCKS * sizeof *held);
    assert_true(block_map_start(1 << 19, false));
    for (unsigned i = 0; i < BLOCKS; i++)
        held[i] = mem_alloc(ALLOC_TEMP, 16 + i % 200);
    BlockMapFigures figures = block_map_figures();
    assert_true(figures.shift >= 12);
    assert_true(figures.record_bytes <= figures.record_bytes_allowed);
    Sought s = find(NULL);
    assert_true(s.blocks < BLOCKS / 10);
    double told = s.weight + (double)figures.missed_blocks;
    assert_true(told > BLOCKS * 0.5 && told < BLOCKS * 2.0);
    for (unsigned i = 0; i < BLOCKS; i++)
        mem_free(ALLOC_TEMP, held[i]);
    assert_int_equal(find(NULL).blocks, 0);
    assert_int_equal(block_map_figures().shift, 0);
    assert_true(block_map_stop());
    free(held);
}

/* Threads allocate, free and pass on, while others read, start and stop. */
enum { THREADS = 4, SLOTS = 256 };
static _Atomic(void *) slots[SLOTS];
static _Atomic bool over;
static void churn(void *data) {
    unsigned x = (unsigned)(uintptr_t)data;
    alloc_owner = x;
    while (!atomic_load(&over)) {
        x = x * 1103515245 + 12345;
        _Atomic(void *) *slot = &slots[x / 65536 % SLOTS];
        void *old = atomic_exchange(slot, mem_alloc(ALLOC_MISC, 16 + x % 500));
        if (old && x % 5 == 0)
            old = mem_realloc(ALLOC_MISC, old, x % 9000);
        mem_free(ALLOC_MISC, old);
    }
    alloc_owner = 0;
}

typedef struct {
    const void *seen[1 << 16];
    unsigned count;
} Seen;
static void gather(const Block *b, void *data) {
    Seen *s = data;
    assert_true(b->bytes < 10000 && b->type < ALLOC_TYPE_COUNT);
    if (b->type == ALLOC_MISC && s->count < array_length(s->seen))
        s->seen[s->count++] = b->address;
}
static int by_address(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return x < y ? -1 : x > y;
}
static void check_once_each(void) {
    static Seen seen;
    seen.count = 0;
    walk(gather, &seen);
    qsort(seen.seen, seen.count, sizeof *seen.seen, by_address);
    for (unsigned i = 1; i < seen.count; i++)
        assert_ptr_not_equal(seen.seen[i - 1], seen.seen[i]);
}

static void it_is_read_and_switched_while_threads_allocate(void **state) {
    Thread threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        thread_start(&threads[i], "churn", 0, churn, (void *)(uintptr_t)(i + 1));
    for (unsigned round = 0; round < 300; round++) {
        assert_true(block_map_start(ROOM, false));
        for (unsigned i = 0; i < 10; i++)
            check_once_each();
        assert_true(block_map_stop());
    }
    atomic_store(&over, true);
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    for (unsigned i = 0; i < SLOTS; i++)
        mem_free(ALLOC_MISC, atomic_exchange(&slots[i], NULL));
}

UNIT_TESTS(unit(what_came_is_there_until_it_goes), unit(a_block_that_could_not_grow_stays),
           unit(what_no_record_is_for_is_missed), unit(what_no_cell_is_for_is_missed),
           unit(a_map_that_has_no_memory_does_not_start), unit(a_stopped_map_is_gone),
           unit(who_comes_later_is_not_in_it), unit(past_its_room_it_samples),
           unit(it_is_read_and_switched_while_threads_allocate))
