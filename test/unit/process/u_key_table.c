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

#define MANY 50000

/* What one step allots or frees: a segment, and the pointers to all. */
static void look_at_step(const KeyTable *t, size_t *bytes) {
    size_t now = key_table_bytes(t), changed = now > *bytes ? now - *bytes : *bytes - now;
    size_t segments = t->bucket_count / KEY_TABLE_SEGMENT;
    assert_true(changed <= (KEY_TABLE_SEGMENT + segments + 2) * sizeof(KeyNode *));
    *bytes = now;
}

/* Nodes at so many buckets per node, once it is a table. */
static void look_at_load(const KeyTable *t) {
    if (t->count > 2 * KEY_TABLE_INLINE)
        assert_in_range(t->bucket_count, t->count, 4 * t->count + 16);
}

static void it_grows_and_shrinks_by_small_steps(void **state) {
    KeyTable t = {0};
    size_t bytes = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        add(&t, i);
        look_at_step(&t, &bytes);
        look_at_load(&t);
    }
    for (uint64_t i = 0; i < MANY; i++) {
        mem_free(ALLOC_LINK, key_table_remove(&t, i * 7777 % MANY));
        look_at_step(&t, &bytes);
        look_at_load(&t);
    }
    assert_int_equal(bytes, 0);
    for (uint64_t i = 0; i < MANY; i++)
        add(&t, i);
    bytes = key_table_bytes(&t);
    for (KeyNode *n; (n = key_table_take_any(&t)) != NULL;) {
        mem_free(ALLOC_LINK, n);
        look_at_step(&t, &bytes);
    }
    assert_int_equal(bytes, 0);
}

#define KEYS 2000

/* More come than go, then the other way round, and again. */
static void all_is_found_whatever_comes_and_goes(void **state) {
    KeyTable t = {0};
    static bool is_there[KEYS];
    unsigned seed = 1, count = 0;
    for (int i = 0; i < 400000; i++) {
        unsigned key = (unsigned)rand_r(&seed) % KEYS;
        bool wanted = (unsigned)rand_r(&seed) % 8 < (i / 20000 % 2 ? 1 : 7);
        assert_int_equal(key_table_find(&t, key) != NULL, is_there[key]);
        if (wanted && !is_there[key]) {
            add(&t, key);
        } else if (!wanted) {
            KeyNode *n = key_table_remove(&t, key);
            assert_int_equal(n != NULL, is_there[key]);
            mem_free(ALLOC_LINK, n);
        }
        count += (unsigned)wanted - is_there[key];
        is_there[key] = wanted;
        assert_int_equal(t.count, count);
    }
    for (KeyNode *n; (n = key_table_take_any(&t)) != NULL; count--) {
        assert_true(is_there[n->key]);
        is_there[n->key] = false;
        mem_free(ALLOC_LINK, n);
    }
    assert_int_equal(count, 0);
}

UNIT_TESTS(unit(what_was_added_is_found_until_it_is_removed), unit(an_empty_table_takes_no_memory),
           unit(it_grows_and_shrinks_by_small_steps), unit(all_is_found_whatever_comes_and_goes))
