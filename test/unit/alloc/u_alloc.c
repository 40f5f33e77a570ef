#include "alloc/alloc.h"
#include "sys/thread.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static void counts_rise_and_fall(void **state) {
    AllocSum before = alloc_sum(ALLOC_TEMP);
    char *p = mem_alloc(ALLOC_TEMP, 1000);
    AllocSum held = alloc_sum(ALLOC_TEMP);
    assert_int_equal(held.blocks, before.blocks + 1);
    assert_true(held.bytes >= before.bytes + 1000);
    p = mem_realloc(ALLOC_TEMP, p, 100000);
    assert_true(alloc_sum(ALLOC_TEMP).bytes >= before.bytes + 100000);
    mem_free(ALLOC_TEMP, p);
    assert_int_equal(alloc_sum(ALLOC_TEMP).bytes, before.bytes);
    assert_int_equal(alloc_sum(ALLOC_TEMP).blocks, before.blocks);
}

static void null_is_allowed(void **state) {
    mem_free(ALLOC_TEMP, NULL);
    void *p = mem_realloc(ALLOC_TEMP, NULL, 10);
    assert_non_null(p);
    mem_free(ALLOC_TEMP, p);
}

static void calloc_gives_zeroes(void **state) {
    uint64_t *p = mem_calloc(ALLOC_TEMP, 800);
    for (int i = 0; i < 100; i++)
        assert_int_equal(p[i], 0);
    mem_free(ALLOC_TEMP, p);
}

static void what_cannot_be_given_is_not(void **state) {
    AllocSum before = alloc_sum(ALLOC_TEMP);
    assert_null(mem_try_calloc(ALLOC_TEMP, (size_t)1 << 47));
    assert_null(mem_try_alloc(ALLOC_TEMP, SIZE_MAX));
    assert_int_equal(alloc_sum(ALLOC_TEMP).blocks, before.blocks);
    uint64_t *p = mem_try_calloc(ALLOC_TEMP, 800);
    for (int i = 0; i < 100; i++)
        assert_int_equal(p[i], 0);
    assert_int_equal(alloc_sum(ALLOC_TEMP).blocks, before.blocks + 1);
    mem_free(ALLOC_TEMP, p);
}

/* Cells for each 16 bytes (alloc/cells.h) rest on it. */
static void blocks_of_all_sizes_are_aligned(void **state) {
    for (size_t bytes = 0; bytes < 300; bytes++) {
        void *blocks[4] = {mem_alloc(ALLOC_TEMP, bytes), mem_calloc(ALLOC_TEMP, bytes),
                           mem_try_alloc(ALLOC_TEMP, bytes),
                           mem_realloc(ALLOC_TEMP, mem_alloc(ALLOC_TEMP, 1000), bytes)};
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        for (unsigned i = 0; i < 4; i++)
            mem_free(ALLOC_TEMP, blocks[i]);
    }
}

/* What the system has been told of the mapping that the address lies in. */
static bool has_flag(const void *address, const char *flag) {
    char line[1000];
    unsigned long begin, end;
    bool is_there = false, found = false;
    FILE *f = fopen("/proc/self/smaps", "r");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            is_there = begin <= (unsigned long)address && (unsigned long)address < end;
        if (is_there && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, flag) != NULL;
    }
    if (f)
        fclose(f);
    return found;
}

#define LARGE ((size_t)20 << 20)

/* Whichever way it came, and it holds what it held. */
static void large_blocks_ask_for_large_pages(void **state) {
    uint8_t *made = mem_alloc(ALLOC_TEMP, LARGE), *grown = mem_alloc(ALLOC_TEMP, LARGE / 4);
    uint8_t *tried = mem_try_alloc(ALLOC_TEMP, LARGE), *tried_grown = mem_alloc(ALLOC_TEMP, 1000);
    bool is_asked = has_flag(made + LARGE / 2, " hg"); /* not where there are none */
    for (size_t i = 0; i < LARGE / 4; i++)
        grown[i] = (uint8_t)(i >> 7);
    memset(tried_grown, 5, 1000);
    grown = mem_realloc(ALLOC_TEMP, grown, LARGE);
    tried_grown = mem_try_realloc(ALLOC_TEMP, tried_grown, LARGE);
    for (size_t i = 0; i < LARGE / 4; i++)
        assert_int_equal(grown[i], (uint8_t)(i >> 7));
    assert_int_equal(tried_grown[999], 5);
    assert_int_equal(has_flag(grown + LARGE / 2, " hg"), is_asked);
    assert_int_equal(has_flag(tried + LARGE / 2, " hg"), is_asked);
    assert_int_equal(has_flag(tried_grown + LARGE / 2, " hg"), is_asked);
    grown = mem_realloc(ALLOC_TEMP, grown, LARGE - 1000); /* less, and still large */
    assert_int_equal(grown[LARGE / 4 - 1], (uint8_t)((LARGE / 4 - 1) >> 7));
    mem_free(ALLOC_TEMP, made);
    mem_free(ALLOC_TEMP, grown);
    mem_free(ALLOC_TEMP, tried);
    mem_free(ALLOC_TEMP, tried_grown);
}

static void *given;
static void allocate(void *data) { given = mem_alloc(ALLOC_MISC, 500); }

static void counts_outlive_their_thread(void **state) {
    AllocSum before = alloc_sum(ALLOC_MISC);
    Thread thread;
    thread_start(&thread, "other", 0, allocate, NULL);
    thread_join(&thread);
    assert_int_equal(alloc_sum(ALLOC_MISC).blocks, before.blocks + 1);
    mem_free(ALLOC_MISC, given);
    assert_int_equal(alloc_sum(ALLOC_MISC).blocks, before.blocks);
    assert_int_equal(alloc_sum(ALLOC_MISC).bytes, before.bytes);
}

UNIT_TESTS(unit(counts_rise_and_fall), unit(null_is_allowed), unit(calloc_gives_zeroes),
           unit(what_cannot_be_given_is_not), unit(counts_outlive_their_thread), unit(blocks_of_all_sizes_are_aligned),
           unit(large_blocks_ask_for_large_pages))
