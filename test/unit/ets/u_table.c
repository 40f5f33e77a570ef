/* Tables under many threads, for ThreadSanitizer as much as for the sums; and the tree against a model. */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/thread_progress.h"
#include "ets/catree.h"
#include "ets/count.h"
#include "ets/hash.h"
#include "ets/segment.h"
#include "ets/tables.h"
#include "ets/tree.h"
#include "heap/literal.h"
#include "process/process.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/compare.h"
#include "unit.h"

#include <string.h>
#include <unistd.h>

static Process *make_process(Word number) {
    Process *p = mem_calloc(ALLOC_PROCESS, sizeof *p);
    heap_init(&p->heap, 1000, 1000, 65535);
    p->pid = pid_make(number);
    return p;
}

static Table *make_table(Process *p, TableType type, Term write_concurrency) {
    TableOptions options = {.name = am_ets,
                            .type = type,
                            .protection = TABLE_PUBLIC,
                            .keypos = 1,
                            .write_concurrency = write_concurrency,
                            .heir = HEIR_NONE,
                            .heir_data = NIL};
    Term tid;
    return tables_create(p, &options, &tid);
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
    thread_progress_register();
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round == 1)
            tables_fix_briefly(t);
        for (SWord i = 0; i < KEYS; i++) {
            thread_progress_quiescent();
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
            object_put_immediate(shared, 2, object_key(shared, 2) + small_make(1));
            table_let_go(&hold);
        }
        if (round == 1)
            tables_unfix_briefly(t);
    }
    thread_progress_unregister();
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
    assert_int_equal(table_objects(t), 1 + THREADS * KEYS / 2);
    assert_true(table_hold_key(t, HOLD_READ, small_make(0), &hold));
    Object *shared = table_first_object(&hold, small_make(0));
    assert_int_equal(small_value(object_key(shared, 2)), THREADS * KEYS * ROUNDS);
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
        assert_int_equal(small_value(object_key(o, 2)), i);
        if (i >= 100)
            table_delete_key(&hold, small_make(i));
        table_let_go(&hold);
    }
    assert_int_equal(table_objects(t), 100);
    assert_int_equal(hash_bucket_count(t), 256 + 2048);
    drop_table(p, t);
}

static void put_and_delete(Table *t, SWord key, bool put) {
    Hold hold;
    assert_true(table_hold_key(t, HOLD_WRITE, small_make(key), &hold));
    if (put)
        table_put(&hold, make_object(key, key));
    else
        assert_int_equal(table_delete_key(&hold, small_make(key)), 1);
    table_let_go(&hold);
    thread_progress_quiescent();
}

/* Taking all out stops when its budget is used up, however few objects there are among however many buckets. */
#define SPARSE 100000
#define CLEAR_BUDGET 100
#define BEYOND 30 /* of the budget, by the last step */
static void clearing_keeps_to_its_budget(void **state) {
    const SWord left[] = {0, 1, 3, 1000};
    thread_progress_register();
    Process *p = make_process(1);
    for (unsigned i = 0; i < array_length(left); i++) {
        Table *t = make_table(p, TABLE_SET, i % 2 ? am_true : am_false);
        Hold hold;
        for (SWord key = 0; key < SPARSE; key++)
            put_and_delete(t, key, true);
        tables_fix_briefly(t);
        assert_true(table_hold(t, HOLD_EXCLUSIVE, &hold));
        assert_true(hash_mark_all(t));
        table_let_go(&hold);
        tables_unfix_briefly(t);
        tables_fix_briefly(t); /* the buckets stay */
        for (SWord key = 0; key < left[i]; key++)
            put_and_delete(t, key, true);
        tables_unfix_briefly(t);
        assert_int_equal(table_objects(t), left[i]);
        assert_true(hash_bucket_count(t) > SPARSE / 2);
        assert_true(tables_delete(t, p));
        int64_t budget;
        do {
            budget = CLEAR_BUDGET;
        } while (!tables_delete_more(t, &budget) && budget >= -BEYOND);
        assert_in_range(budget + BEYOND, 0, CLEAR_BUDGET + BEYOND);
    }
    thread_progress_unregister();
}

/* Buckets and their memory come and go under those who walk along them: the last chunk is pages of the system's. */
#define MANY (SEGMENT_CHUNK * 2)
static _Atomic int filling;

static void fill_and_empty(void *data) {
    Worker *w = data;
    thread_progress_register();
    for (int turn = 0; turn < 4; turn++)
        for (SWord key = w->number; key < MANY; key += 2)
            put_and_delete(w->table, key, turn % 2 == 0);
    atomic_fetch_sub(&filling, 1);
    thread_progress_unregister();
}

/* From any bucket on, whether it is in use or not. */
static void walk_along(void *data) {
    Worker *w = data;
    Process *p = make_process(w->number);
    uint64_t from = w->number;
    thread_progress_register();
    for (Term next = NON_VALUE; atomic_load(&filling) > 0; from = (from * 5 + 1) % (2 * MANY)) {
        Hold hold;
        uint64_t bucket = from;
        assert_true(table_hold(w->table, HOLD_READ, &hold));
        if (hash_next_key(w->table, NON_VALUE, false, &bucket, process_area(p), &next) == NEXT_FOUND)
            assert_in_range(small_value(next), 0, MANY - 1);
        if (hash_read_bucket(w->table, from)) {
            for (const Object *o = *hash_bucket(w->table, from); o != NULL; o = o->next)
                assert_in_range(small_value(object_key(o, 1)), 0, MANY - 1);
            hash_unread_bucket(w->table, from);
        }
        table_let_go(&hold);
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void buckets_come_and_go(Term write_concurrency) {
    Process *p = make_process(1);
    int64_t before = alloc_sum(ALLOC_ETS_TABLE).bytes;
    Table *t = make_table(p, TABLE_SET, write_concurrency);
    Thread threads[4];
    Worker workers[4] = {{t, 0}, {t, 1}, {t, 2}, {t, 3}};
    filling = 2;
    for (unsigned i = 0; i < 4; i++)
        thread_start(&threads[i], "worker", 0, i < 2 ? fill_and_empty : walk_along, &workers[i]);
    for (unsigned i = 0; i < 4; i++)
        thread_join(&threads[i]);
    assert_int_equal(table_objects(t), 0);
    thread_progress_register();
    for (SWord key = 0; key < MANY; key++) { /* who met another one let the buckets be */
        put_and_delete(t, key, true);
        put_and_delete(t, key, false);
    }
    thread_progress_unregister();
    assert_in_range(hash_bucket_count(t), t->hash.first_buckets, t->hash.first_buckets + 2048);
    assert_int_equal(t->hash.mapped, 0);
    assert_true(alloc_sum(ALLOC_ETS_TABLE).bytes - before < 2 * MANY);
    thread_progress_register();
    for (SWord key = 0; key < MANY; key++)
        put_and_delete(t, key, true);
    thread_progress_unregister();
    assert_true(alloc_sum(ALLOC_ETS_TABLE).bytes - before >= MANY * (int64_t)sizeof(Object *));
    drop_table(p, t); /* its tid stays */
    assert_true(alloc_sum(ALLOC_ETS_TABLE).bytes - before < 1000);
}

static void plain_buckets_come_and_go(void **state) { buckets_come_and_go(am_false); }
static void striped_buckets_come_and_go(void **state) { buckets_come_and_go(am_true); }

/* What goes along a chain counts what it passes, deleted or not: of a bag with CHAIN objects of one key. */
#define CHAIN 5000

/* A key of the same bucket, which has none of the objects. */
static Term neighbour_key(void) {
    SWord other = 2;
    while ((hash_key(small_make(other)) ^ hash_key(small_make(1))) % 65536)
        other++;
    return small_make(other);
}

static int64_t units_since(int64_t before) { return long_work_units() - before; }

static void counts(Table *t, Term key, HoldKind kind, bool found) {
    Hold hold;
    uint64_t bucket = 0;
    Term next;
    int64_t before = long_work_units();
    assert_true(table_hold_key(t, kind, key, &hold));
    if (kind == HOLD_WRITE)
        table_delete_key(&hold, key);
    else
        assert_int_equal(table_has(&hold, key), found);
    table_let_go(&hold);
    assert_true(units_since(before) >= CHAIN);
    before = long_work_units();
    assert_true(table_hold(t, HOLD_READ, &hold));
    if (key == small_make(1)) {
        assert_in_range(hash_next_key(t, key, false, &bucket, NULL, &next), NEXT_END, NEXT_ROUND);
        assert_true(units_since(before) >= CHAIN);
    }
    table_let_go(&hold);
}

static void long_chains_count(void **state) {
    Process *p = make_process(1);
    Table *t = make_table(p, TABLE_DUPLICATE_BAG, am_false);
    Term neighbour = neighbour_key();
    Hold hold;
    long_work_begin();
    for (SWord i = 0; i < CHAIN; i++) {
        assert_true(table_hold_key(t, HOLD_WRITE, small_make(1), &hold));
        table_put(&hold, make_object(1, i));
        table_let_go(&hold);
    }
    counts(t, neighbour, HOLD_READ, false);
    counts(t, neighbour, HOLD_WRITE, false);
    tables_fix_briefly(t);
    assert_true(table_hold(t, HOLD_EXCLUSIVE, &hold));
    assert_true(hash_mark_all(t));
    table_let_go(&hold);
    counts(t, small_make(1), HOLD_READ, false);
    counts(t, small_make(1), HOLD_WRITE, false);
    tables_unfix_briefly(t);
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
    SWord key = small_value(object_key(o, 1));
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
        Object **root = leaf_root(catree_leaf(t, small_make(0)));
        uint64_t start = seed;
        for (int i = 0; i < 2000; i++) {
            uint64_t key = next_random(MODEL);
            if (next_random(100) < 45) {
                Object *taken = tree_take(t, root, small_make((SWord)key));
                assert_int_equal(taken != NULL, model[key]);
                if (taken)
                    object_free(taken);
                model[key] = false;
            } else {
                tree_put(t, root, make_object((SWord)key, i));
                model[key] = true;
            }
            if (i % 50 == 0)
                check(*root, -1, MODEL);
        }
        TreeWalk walk;
        tree_walk_init(&walk, t, *root, NON_VALUE, true);
        for (SWord key = 0; key < MODEL; key++) {
            Object *above = tree_beside(t, *root, small_make(key - 1), true);
            if (model[key]) {
                assert_int_equal(small_value(object_key(tree_walk_next(&walk), 1)), key);
                assert_int_equal(small_value(object_key(above, 1)), key);
            }
        }
        assert_null(tree_walk_next(&walk));
        drop_table(p, t);
        seed = start;
    }
}

/* Splitting anywhere and joining again gives the same tree, balanced; also with trees of very different heights. */
static void trees_split_and_join(void **state) {
    Process *p = make_process(1);
    for (seed = 1; seed < 40; seed++) {
        Table *t = make_table(p, TABLE_ORDERED_SET, am_false);
        Object **root = leaf_root(catree_leaf(t, small_make(0))), *parts[MODEL];
        uint64_t start = seed, keys = 1 + next_random(MODEL), count = 0;
        for (uint64_t key = 0; key < keys; key++)
            tree_put(t, root, make_object((SWord)key, 0));
        Term middle;
        Object *upper = *root;
        for (Object *lower; count < 8 && (lower = tree_split(t, &upper, &middle));) {
            check(lower, -1, small_value(middle));
            check(upper, small_value(middle) - 1, MODEL);
            parts[count++] = lower;
            if (next_random(2) && count < 8) { /* the smaller half is parted, too: it goes on with that one */
                Object *rest = lower;
                if ((lower = tree_split(t, &rest, &middle))) {
                    parts[count - 1] = lower;
                    parts[count++] = rest;
                }
            }
        }
        parts[count++] = upper;
        while (count > 1) { /* two neighbours become one */
            uint64_t at = next_random(count - 1);
            parts[at] = tree_join(t, parts[at], parts[at + 1]);
            check(parts[at], -1, MODEL);
            memmove(&parts[at + 1], &parts[at + 2], (count - at - 2) * sizeof *parts);
            count--;
        }
        *root = parts[0];
        TreeWalk walk;
        tree_walk_init(&walk, t, *root, NON_VALUE, true);
        for (uint64_t key = 0; key < keys; key++)
            assert_int_equal(small_value(object_key(tree_walk_next(&walk), 1)), key);
        drop_table(p, t);
        seed = start;
    }
}

/* Writers that wait for each other split leaves; one that nobody disturbs joins them. Walks see what stays there. */
#define STEADY 500
static _Atomic bool enough;

static void write_on(void *data) {
    Worker *w = data;
    Hold hold;
    uint64_t random = w->number;
    thread_progress_register();
    while (!enough) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        Term key = small_make((SWord)(random >> 33) % STEADY * 4 + 1 + (SWord)w->number % 3);
        thread_progress_quiescent();
        assert_true(table_hold_key(w->table, HOLD_WRITE, key, &hold));
        if (!table_delete_key(&hold, key))
            table_put(&hold, make_object(small_value(key), 0));
        table_let_go(&hold);
    }
    thread_progress_unregister();
}

/* Every steady key (multiples of 4) is met, in order. */
static void walk_over(Table *t, Area *area, bool up) {
    SWord met = 0, last = up ? -1 : STEADY * 4;
    for (Term key = NON_VALUE; is_value(key = catree_key_beside(t, key, up, area));) {
        SWord now = small_value(key);
        assert_true(up ? now > last : now < last);
        met += now % 4 == 0;
        last = now;
    }
    assert_int_equal(met, STEADY);
}

static void leaves_come_and_go(void **state) {
    Process *p = make_process(1);
    Table *t = make_table(p, TABLE_ORDERED_SET, am_true);
    thread_progress_register();
    Hold hold;
    for (SWord i = 0; i < STEADY; i++) {
        assert_true(table_hold_key(t, HOLD_WRITE, small_make(4 * i), &hold));
        table_put(&hold, make_object(4 * i, 0));
        table_let_go(&hold);
    }
    Thread threads[THREADS];
    Worker workers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (Worker){t, i};
        thread_start(&threads[i], "worker", 0, write_on, &workers[i]);
    }
    for (int i = 0; i < 20000 && (i < 50 || atomic_load(&t->tree.nodes) < 9); i++) {
        Term low, high;
        TreeNode *leaf = catree_enter(t, place_at(small_make(i * 4 % STEADY)), false, &low, &high);
        usleep(200); /* whoever comes to write meanwhile has to wait */
        catree_leave(t, leaf, false);
        if (i % 10 == 0)
            walk_over(t, process_area(p), i % 20 == 0);
        thread_progress_quiescent();
    }
    assert_true(atomic_load(&t->tree.nodes) >= 9);
    enough = true;
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    SWord rounds = 0;
    for (seed = 1; atomic_load(&t->tree.nodes) > 1 && rounds < 20000000; rounds++) {
        Term key = small_make((SWord)next_random(STEADY) * 4 + 1);
        assert_true(table_hold_key(t, HOLD_WRITE, key, &hold));
        if (!table_delete_key(&hold, key))
            table_put(&hold, make_object(small_value(key), 0));
        table_let_go(&hold);
        thread_progress_quiescent();
    }
    assert_int_equal(atomic_load(&t->tree.nodes), 1);
    walk_over(t, process_area(p), true);
    check(*leaf_root(catree_leaf(t, small_make(0))), -1, STEADY * 4);
    drop_table(p, t);
    thread_progress_unregister();
}

static void begin(void) {
    atom_table_init(10000);
    literal_span_init();
    tables_init();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit(threads_on_striped_set),
        unit(threads_on_plain_set),
        unit(threads_on_tree),
        unit(hash_grows_and_shrinks),
        unit(clearing_keeps_to_its_budget),
        unit(plain_buckets_come_and_go),
        unit(striped_buckets_come_and_go),
        unit(long_chains_count),
        unit(tree_is_as_its_model),
        unit(trees_split_and_join),
        unit(leaves_come_and_go),
    };
    begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
