/* Free ranges against a plain array of bytes: taken and given back at random, then all of them. */
#include "code/free_ranges.h"

#include <string.h>

#include "unit.h"

#define SIZE 4000u
#define SPANS 300u

static bool taken[SIZE];

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void check_against_bytes(const FreeRanges *f) {
    size_t at = 0;
    for (size_t i = 0; i < f->count; i++) {
        assert_true(f->ranges[i].size > 0 && (i == 0 || f->ranges[i].start > at));
        for (; at < f->ranges[i].start; at++)
            assert_true(taken[at]);
        for (; at < f->ranges[i].start + f->ranges[i].size; at++)
            assert_false(taken[at]);
    }
    for (; at < SIZE; at++)
        assert_true(taken[at]);
}

/* The first place where so much is free; SIZE: nowhere. */
static size_t first_fit(size_t size) {
    size_t run = 0;
    for (size_t at = 0; at < SIZE; at++) {
        run = taken[at] ? 0 : run + 1;
        if (run == size)
            return at + 1 - size;
    }
    return SIZE;
}

static FreeRange take(FreeRanges *f, size_t size) {
    size_t start, expected = first_fit(size);
    if (!free_ranges_take(f, size, &start)) {
        assert_int_equal(expected, SIZE);
        return (FreeRange){0};
    }
    assert_int_equal(start, expected);
    memset(taken + start, 1, size);
    return (FreeRange){start, size};
}

static void give(FreeRanges *f, FreeRange range) {
    memset(taken + range.start, 0, range.size);
    FreeRange around = free_ranges_give(f, range);
    assert_true(around.start <= range.start && around.start + around.size >= range.start + range.size);
    assert_true(around.start == 0 || taken[around.start - 1]);
    assert_true(around.start + around.size == SIZE || taken[around.start + around.size]);
}

static void at_random(void **state) {
    FreeRanges f;
    FreeRange spans[SPANS] = {0};
    uint32_t seed = 7;
    free_ranges_init(&f, SIZE);
    for (unsigned round = 0; round < 20000; round++) {
        FreeRange *span = &spans[next_random(&seed) % SPANS];
        if (span->size > 0) {
            give(&f, *span);
            *span = (FreeRange){0};
        } else {
            *span = take(&f, 1 + next_random(&seed) % 60);
        }
        if (round % 16 == 0)
            check_against_bytes(&f);
    }
    for (unsigned i = 0; i < SPANS; i++)
        if (spans[i].size > 0)
            give(&f, spans[i]);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.ranges[0].size, SIZE);
    free_ranges_release(&f);
}

UNIT_TESTS(unit(at_random))
