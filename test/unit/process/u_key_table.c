#include "process/key_table.h"

#include "alloc/alloc.h"
#include "unit.h"

#define COUNT 1000

static void add(KeyTable *t, uint64_t key) {
    KeyNode *n = mem_alloc(ALLOC_LINK, sizeof *n);
    n->key = key;
    key_table_add(t, n);
}

static void count_one(KeyNode *node, void *data) { ++*(int *)data; }

static void what_was_added_is_found_until_it_is_removed(void **state) {
    KeyTable t = {0};
    for (uint64_t i = 0; i < COUNT; i++)
        add(&t, i << 6 | 0x16);
    int seen = 0;
    key_table_each(&t, count_one, &seen);
    assert_int_equal(seen, COUNT);
    for (uint64_t i = 0; i < COUNT; i++) {
        KeyNode *n = key_table_find(&t, i << 6 | 0x16);
        assert_non_null(n);
        assert_null(key_table_find(&t, i << 6));
        if (i % 2) {
            assert_ptr_equal(key_table_remove(&t, n->key), n);
            assert_null(key_table_remove(&t, n->key));
            mem_free(ALLOC_LINK, n);
        }
    }
    assert_int_equal(t.count, COUNT / 2);
    int taken = 0;
    for (KeyNode *n; (n = key_table_take_any(&t)) != NULL; taken++)
        mem_free(ALLOC_LINK, n);
    assert_int_equal(taken, COUNT / 2);
    assert_int_equal(key_table_bytes(&t), 0);
}

static void an_empty_table_takes_no_memory(void **state) {
    KeyTable t = {0};
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 100; i++)
            add(&t, i);
        assert_true(key_table_bytes(&t) > 0);
        for (uint64_t i = 0; i < 100; i++)
            mem_free(ALLOC_LINK, key_table_remove(&t, i));
        assert_int_equal(key_table_bytes(&t), 0);
        assert_null(key_table_take_any(&t));
    }
}

UNIT_TESTS(unit(what_was_added_is_found_until_it_is_removed), unit(an_empty_table_takes_no_memory))
