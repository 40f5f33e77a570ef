/*
 * Magic references that have left as bytes, very many of them: each object is recalled by its numbers while it lives,
 * however the table has grown, and forgotten afterwards.
 */
#include "term/magic_table.h"

#include <stdlib.h>

#include "unit.h"

#define OBJECTS 20000

static RefcBinary *objects[OBJECTS];

static bool destroy(RefcBinary *binary) { return true; }

static void name(uint32_t *numbers, uint32_t i) {
    numbers[0] = i;
    numbers[1] = i % 7;
    numbers[2] = 1;
}

static void remember(uint32_t i) {
    objects[i] = refc_magic_create(8, destroy);
    name(objects[i]->magic_numbers, i);
    magic_remember(objects[i]);
    magic_remember(objects[i]); /* is known */
}

static void assert_recalled(uint32_t i) {
    uint32_t numbers[3];
    name(numbers, i);
    RefcBinary *found = magic_recall(numbers);
    assert_ptr_equal(found, objects[i]);
    if (found != NULL)
        refc_binary_release(found);
}

static void forget(uint32_t i) {
    refc_binary_release(objects[i]);
    objects[i] = NULL;
}

static void each_is_recalled_while_it_lives(void **state) {
    assert_recalled(0);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        remember(i);
        assert_recalled(i);
        assert_recalled(i / 2);
        if (i % 3 == 2)
            forget(i - 1);
    }
    for (uint32_t i = 0; i < OBJECTS; i++)
        assert_recalled(i);
    for (uint32_t i = 0; i < OBJECTS; i++)
        if (objects[i] != NULL)
            forget(i);
    for (uint32_t i = 0; i < OBJECTS; i++)
        assert_recalled(i);
    remember(1);
    assert_recalled(1);
    forget(1);
}

UNIT_TESTS(unit(each_is_recalled_while_it_lives))
