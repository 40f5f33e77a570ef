#include "alloc/general.h"

#include "unit.h"

#include <stdlib.h>

static int64_t counted(void) {
    int64_t bytes = 0;
    for (unsigned t = 0; t < ALLOC_TYPE_COUNT; t++) {
        AllocSum sum = alloc_sum((AllocType)t);
        bytes += sum.bytes - sum.page_bytes;
    }
    return bytes;
}

/* What the allocator itself says that this thread has in use. */
#ifdef VIV_SANITIZE
#define TELLS false /* the allocators of sanitizers do not */
static int64_t in_use(void) { return 0; }
#else
static bool add_area(const mi_heap_t *heap, const mi_heap_area_t *area, void *block, size_t size, void *sum) {
    *(int64_t *)sum += (int64_t)(area->used * area->block_size);
    return true;
}
static int64_t in_use(void) {
    int64_t sum = 0;
    mi_heap_visit_blocks(mi_heap_get_default(), false, add_area, &sum);
    return sum;
}
#define TELLS true
#endif

enum { BLOCKS = 20000 };
static struct {
    void *block;
    AllocType type;
} held[BLOCKS];

static void make(unsigned i) {
    size_t bytes = i % 1000 == 0 ? 3000000 : (size_t)(rand() % (i % 50 == 0 ? 200000 : 700));
    held[i].type = (AllocType)(i % ALLOC_TYPE_COUNT);
    held[i].block = i % 3 == 0 ? mem_calloc(held[i].type, bytes) : mem_alloc(held[i].type, bytes);
    if (i % 7 == 0)
        held[i].block = mem_realloc(held[i].type, held[i].block, bytes * 2 + 1);
}

static void what_is_counted_is_what_the_allocator_has_in_use(void **state) {
    if (!TELLS)
        skip();
    mem_free(ALLOC_MISC, mem_alloc(ALLOC_MISC, 1)); /* the thread has its counters now */
    int64_t counted_before = counted(), used_before = in_use();
    for (unsigned i = 0; i < BLOCKS; i++)
        make(i);
    int64_t by = counted() - counted_before;
    assert_true(by > 100000000);
    assert_int_equal(in_use() - used_before, by);
    for (unsigned i = 0; i < BLOCKS; i++)
        mem_free(held[i].type, held[i].block);
    assert_int_equal(counted(), counted_before);
    assert_int_equal(in_use(), used_before);
}

UNIT_TESTS(unit(what_is_counted_is_what_the_allocator_has_in_use))
