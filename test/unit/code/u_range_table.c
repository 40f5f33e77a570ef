/* The table of ranges against a plain array: random additions and removals, then every address is looked up. */
#include "code/range_table.h"

#include <stdlib.h>

#include "unit.h"

#define SLOTS 3000u
#define SLOT_WORDS 8u

static Word space[SLOTS * SLOT_WORDS];
static bool present[SLOTS];

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Every other range leaves a gap before the next. */
static size_t words_of(uint32_t slot) { return slot % 2 == 0 ? SLOT_WORDS : SLOT_WORDS - 3; }

static Range range_of(uint32_t slot) {
    const Word *start = space + slot * SLOT_WORDS;
    return (Range){start, start + words_of(slot), (const struct ModuleInstance *)(uintptr_t)(slot + 1)};
}

static void check_all(const RangeTable *t) {
    size_t count = 0;
    for (uint32_t i = 0; i < SLOTS * SLOT_WORDS; i++) {
        uint32_t slot = i / SLOT_WORDS;
        const Range *r = range_table_find(t, space + i);
        bool inside = present[slot] && i % SLOT_WORDS < words_of(slot);
        assert_int_equal(r != NULL, inside);
        if (r != NULL)
            assert_ptr_equal(r->instance, (void *)(uintptr_t)(slot + 1));
        count += inside && i % SLOT_WORDS == 0;
    }
    assert_int_equal(t->count, count);
    assert_null(range_table_find(t, space + SLOTS * SLOT_WORDS));
}

static void change(RangeTable *t, uint32_t slot, bool add) {
    if (add)
        range_table_add(t, range_of(slot));
    else
        range_table_remove(t, range_of(slot).start);
    present[slot] = add;
}

static void random_changes(void **state) {
    RangeTable t = {0};
    uint32_t seed = 42;
    check_all(&t);
    for (unsigned phase = 0; phase < 8; phase++) {
        for (unsigned i = 0; i < 3 * SLOTS; i++) {
            uint32_t slot = next_random(&seed) % SLOTS;
            change(&t, slot, next_random(&seed) % 8 < (phase % 2 == 0 ? 7 : 1));
        }
        check_all(&t);
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        change(&t, slot, false);
    check_all(&t);
    assert_int_equal(t.chunk_count, 0);
    range_table_release(&t);
}

static void what_comes_and_goes_leaves_no_chunk(void **state) {
    RangeTable t = {0};
    for (uint32_t some = 1; some < 3; some++) /* the second time the halves that were left are filled up */
        for (uint32_t slot = some; slot < SLOTS; slot += 3)
            change(&t, slot, true);
    for (uint32_t slot = 0; slot < SLOTS; slot += 3) {
        size_t chunks = t.chunk_count;
        for (uint32_t near = slot; near < SLOTS && near < slot + 12; near += 3)
            change(&t, near, true);
        for (uint32_t near = slot; near < SLOTS && near < slot + 12; near += 3)
            change(&t, near, false);
        assert_true(t.chunk_count <= chunks);
    }
    check_all(&t);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        change(&t, slot, false);
    range_table_release(&t);
}

static void in_order_and_backwards(void **state) {
    RangeTable t = {0};
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        change(&t, slot, true);
    check_all(&t);
    range_table_release(&t);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        present[slot] = false;
    for (uint32_t slot = SLOTS; slot-- > 0;)
        change(&t, slot, true);
    check_all(&t);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        change(&t, slot, false);
    check_all(&t);
    range_table_release(&t);
}

static void twice_and_never(void **state) {
    RangeTable t = {0};
    range_table_remove(&t, space);
    range_table_add(&t, range_of(0));
    range_table_add(&t, range_of(0));
    assert_int_equal(t.count, 1);
    range_table_remove(&t, space + 1); /* inside, but not its start */
    assert_int_equal(t.count, 1);
    range_table_remove(&t, space);
    assert_int_equal(t.count, 0);
    range_table_release(&t);
}

UNIT_TESTS(unit(random_changes), unit(what_comes_and_goes_leaves_no_chunk), unit(in_order_and_backwards),
           unit(twice_and_never))
