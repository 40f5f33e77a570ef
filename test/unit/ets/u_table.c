/* Tables under many threads, for ThreadSanitizer as much as for the sums; and the tree against a model. */
#include "alloc/alloc.h"
#include "ets/hash.h"
#include "ets/tables.h"
#include "ets/tree.h"
#include "heap/literal.h"
#include "process/process.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/compare.h"
#include "unit.h"

#include <string.h>

static Process *make_process(Word number) {
    Process *p = mem_calloc(ALLOC_PROCESS, sizeof *p);
    heap_init(&p->heap, 1000, 1000, 65535);
    p->pid = pid_make(number);
    return p;
}

static Table *make_table(Process *p, TableType type, Term write_concurrency) {
    TableOptions options = {.name = am_ets, .type = type, .protection = TABLE_PUBLIC, .keypos = 1,
                            .write_concurrency = write_concurrency, .heir = am_none, .heir_data = NIL};
    Term tid;
    return table_create(p, &options, &tid);
}

static void drop_table(Process *p, Table *t) {
    int64_t budget = INT64_MAX;
    assert_true(tables_delete(t, p));
    assert_true(tables_delete_more(t, &budget));
}

static Object *make_object(SWord key, SWord value) {
    Term words[3] = {header_make(KIND_TUPLE, 2), small_make(key), small_make(value)};
    return object_create(boxed_make(words));
}

/* Threads */

#define THREADS 4
#define KEYS 2000
#define ROUNDS 3

typedef struct {
    Table *table;
    unsigned number;
} Worker;

/* Own keys come, are found, and half of them go; one shared key is counted up; now and then the table is fixed. */
static void work(void *data) {
    Worker *w = data;
    Table *t = w->table;
    Hold hold;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round == 1)
            tables_fix_briefly(t);
        for (SWord i = 0; i < KEYS; i++) {
            Term key = small_make((SWord)w->number * KEYS + i + 1);
            assert_true(table_hold_key(t, HOLD_WRITE, key, &hold));
            table_put(&hold, make_object(small_value(key), i));
            table_let_go(&hold);
            assert_true(table_hold_key(t, HOLD_READ, key, &hold));
            assert_true(table_has(&hold, key));
            table_let_go(&hold);
            if (i % 2) {
                assert_true(table_hold_key(t, HOLD_WRITE, key, &hold));
                assert_int_equal(table_delete_key(&hold, key), 1);
                table_let_go(&hold);
            }
            assert_true(table_hold_key(t, HOLD_WRITE, small_make(0), &hold));
            Object *shared = table_first_object(&hold, small_make(0));
            object_put_immediate(shared, 2, object_element(shared, 2) + small_make(1));
            table_let_go(&hold);
        }
        if (round == 1)
            tables_unfix_briefly(t);
    }
}

static void run_threads(TableType type, Term write_concurrency) {
    Process *p = make_process(1);
    Table *t = make_table(p, type, write_concurrency);
    Hold hold;
    assert_true(table_hold_key(t, HOLD_WRITE, small_make(0), &hold));
    table_put(&hold, make_object(0, 0));
    table_let_go(&hold);
    Thread threads[THREADS];
    Worker workers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (Worker){t, i};
        thread_start(&threads[i], "worker", 0, work, &workers[i]);
    }
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    assert_int_equal(table_object_count(t), 1 + THREADS * KEYS / 2);
    assert_true(table_hold_key(t, HOLD_READ, small_make(0), &hold));
    Object *shared = table_first_object(&hold, small_make(0));
    assert_int_equal(small_value(object_element(shared, 2)), THREADS * KEYS * ROUNDS);
    table_let_go(&hold);
    drop_table(p, t);
}

static void threads_on_striped_set(void **state) { run_threads(TABLE_SET, am_true); }
static void threads_on_plain_set(void **state) { run_threads(TABLE_SET, am_false); }
static void threads_on_tree(void **state) { run_threads(TABLE_ORDERED_SET, am_true); }

/* Growing and shrinking keep every object in its bucket. */
static void hash_grows_and_shrinks(void **state) {
    Process *p = make_process(1);
    Table *t = make_table(p, TABLE_SET, am_false);
    Hold hold;
    for (SWord i = 0; i < 20000; i++) {
        table_hold_key(t, HOLD_WRITE, small_make(i), &hold);
        table_put(&hold, make_object(i, i));
        table_let_go(&hold);
    }
    assert_true(hash_bucket_count(t) > 10000);
    for (SWord i = 0; i < 20000; i++) {
        table_hold_key(t, HOLD_WRITE, small_make(i), &hold);
        Object *o = table_first_object(&hold, small_make(i));
        assert_non_null(o);
        assert_int_equal(small_value(object_element(o, 2)), i);
        if (i >= 100)
            table_delete_key(&hold, small_make(i));
        table_let_go(&hold);
    }
    assert_int_equal(table_object_count(t), 100);
    assert_true(hash_bucket_count(t) < 1000);
    drop_table(p, t);
}

/* The tree */

static uint64_t seed;
static uint64_t next_random(uint64_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

/* Heights differ by at most one everywhere, balances tell the truth, keys rise. Depth is bounded by the balance. */
static int check(const Object *o, SWord above, SWord below) {
    if (!o)
        return 0;
    SWord key = small_value(object_element(o, 1));
    assert_true(key > above && key < below);
    int smaller = check(o->link[0], above, key), greater = check(o->link[1], key, below);
    assert_int_equal(greater - smaller, o->balance);
    assert_in_range(o->balance + 1, 0, 2);
    return 1 + (smaller > greater ? smaller : greater);
}

#define MODEL 300
static void tree_is_as_its_model(void **state) {
    Process *p = make_process(1);
    for (seed = 1; seed < 40; seed++) {
        Table *t = make_table(p, TABLE_ORDERED_SET, am_false);
        bool model[MODEL] = {false};
        uint64_t start = seed;
        for (int i = 0; i < 2000; i++) {
            uint64_t key = next_random(MODEL);
            if (next_random(100) < 45) {
                Object *taken = tree_take(t, small_make((SWord)key));
                assert_int_equal(taken != NULL, model[key]);
                if (taken)
                    object_free(taken);
                model[key] = false;
            } else {
                tree_put(t, make_object((SWord)key, i));
                model[key] = true;
            }
            if (i % 50 == 0)
                check(t->root, -1, MODEL);
        }
        TreeWalk walk;
        tree_walk_init(&walk, t, NON_VALUE, true);
        for (SWord key = 0; key < MODEL; key++) {
            Object *above = tree_beside(t, small_make(key - 1), true);
            if (model[key]) {
                assert_int_equal(small_value(object_element(tree_walk_next(&walk), 1)), key);
                assert_int_equal(small_value(object_element(above, 1)), key);
            }
        }
        assert_null(tree_walk_next(&walk));
        drop_table(p, t);
        seed = start;
    }
}

static void begin(void) {
    literal_span_init();
    tables_init();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit(threads_on_striped_set), unit(threads_on_plain_set), unit(threads_on_tree),
        unit(hash_grows_and_shrinks), unit(tree_is_as_its_model),
    };
    begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
