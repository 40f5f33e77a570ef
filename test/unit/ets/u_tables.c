/*
 * Which tables there are, under threads: tables that everybody may find by name, delete, rename, give away, fix and
 * walk through, at the same time. A table that was found by name is one or says that it is deleted; nobody empties one
 * twice; and at the end nothing is left. And finding a table by its name costs the same however many have names.
 */
#include "ets/tables.h"

#include "alloc/alloc.h"
#include "ets/count.h"
#include "ets/hash.h"
#include "heap/literal.h"
#include "process/life.h"
#include "process/message.h"
#include "process/process_table.h"
#include "process/run_queue.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"
#include "unit_process.h"
#include "unit_steps.h"

#define THREADS 4
#define ROUNDS 15000
#define OBJECTS 20

static const Term names[] = {am_ets, am_ok, am_error};
static Process *workers[THREADS];
static _Atomic unsigned hits;

static Object *make_object(SWord key, SWord value) {
    Term words[3] = {header_make(KIND_TUPLE, 2), small_make(key), small_make(value)};
    return object_create(boxed_make(words));
}

static void fill(Table *t) {
    Hold hold;
    for (SWord i = 0; i < OBJECTS; i++) {
        if (!table_hold_key(t, HOLD_WRITE, small_make(i), &hold))
            return;
        table_put(&hold, make_object(i, i));
        table_let_go(&hold);
    }
}

/* As a collection that finds nothing alive: no tid keeps a table. */
static void forget_terms(Process *p) {
    Area *area = process_area(p);
    for (OffHeap *o = area->off_heap, *next; o; o = next) {
        next = o->next;
        off_heap_release(o);
    }
    area->off_heap = NULL;
    area->top = p->heap.start;
}

static void make_table(Process *p, Term name, unsigned i) {
    TableOptions options = {.name = name,
                            .named = true,
                            .type = i % 3 == 0 ? TABLE_ORDERED_SET : TABLE_SET,
                            .protection = TABLE_PUBLIC,
                            .keypos = 1,
                            .heir_data = NIL,
                            .write_concurrency = i % 2 ? am_true : am_false,
                            .heir = i % 5 == 0 ? tables_heir_with(workers[i % THREADS]->pid) : HEIR_NONE};
    Term tid;
    Table *t = tables_create(p, &options, &tid);
    if (t)
        fill(t);
    forget_terms(p);
}

static void delete_table(Process *p, Table *t) {
    int64_t budget = 7;
    if (!tables_delete(t, p))
        return;
    while (!tables_delete_more(t, &budget))
        budget = 7;
}

/* Objects are taken out and put in, while others fix and unfix the table. */
static void change(Table *t, SWord key) {
    Hold hold;
    tables_fix_briefly(t);
    if (table_hold_key(t, HOLD_WRITE, small_make(key), &hold)) {
        table_delete_key(&hold, small_make(key));
        table_put(&hold, make_object(key, -1));
        table_let_go(&hold);
        atomic_fetch_add(&hits, 1);
    }
    tables_unfix_briefly(t);
}

static void clear(Table *t) {
    Hold hold;
    int64_t budget = INT64_MAX;
    if (!table_hold(t, HOLD_EXCLUSIVE, &hold))
        return;
    bool marked = !table_is_tree(t) && atomic_load(&t->fixed) > 0 && hash_mark_all(t);
    Table *part = marked ? NULL : table_detach(t);
    assert_int_equal(table_objects(t), 0);
    table_let_go(&hold);
    if (part) {
        assert_true(table_clear_some(part, &budget));
        refc_binary_release(part->binary);
    }
}

static void rename_table(Table *t, Term name) {
    Hold hold;
    if (!table_hold(t, HOLD_EXCLUSIVE, &hold))
        return;
    bool renamed = tables_rename(t, name);
    assert_true(!renamed || tables_find(name) == t);
    table_let_go(&hold);
}

static void fix(Process *p, Table *t) {
    Hold hold;
    if (!table_hold(t, HOLD_READ, &hold))
        return;
    tables_fix(t, p);
    assert_true(tables_is_fixed(t));
    table_let_go(&hold);
    if (p->pid % 2 == 0) /* the others leave it to their end */
        assert_true(tables_unfix(t, p) || atomic_load(&t->deleted)); /* which ends all fixations */
}

/* Each process stands there once at most, whoever comes and goes meanwhile. */
static void list_fixations(Process *p, Table *t) {
    int64_t since;
    unsigned seen[THREADS] = {0};
    for (Term l = tables_fixations(t, process_area(p), &since); is_list(l); l = list_tail(l))
        for (unsigned i = 0; i < THREADS; i++)
            seen[i] += tuple_elements(list_head(l))[0] == workers[i]->pid;
    for (unsigned i = 0; i < THREADS; i++)
        assert_in_range(seen[i], 0, 1);
    forget_terms(p);
}

static void give(Process *p, Table *t, Term to) {
    Hold hold;
    if (!table_hold(t, HOLD_READ, &hold))
        return;
    Transfer transfer;
    tables_transfer_init(&transfer, NIL);
    (void)tables_give_held(t, p->pid, tables_heir_with(to), &transfer);
    table_let_go(&hold);
}

static void step(Process *p, uint64_t seed, unsigned i) {
    Term name = names[(seed >> 33) % array_length(names)], other = names[(seed >> 36) % array_length(names)];
    Table *t = tables_find(name);
    if (!t) {
        make_table(p, name, i);
        return;
    }
    if ((seed >> 50) % 4 == 0)
        sched_yield(); /* what was found may be deleted by now */
    switch ((seed >> 40) % 8) {
    case 0: delete_table(p, t); break;
    case 1: rename_table(t, other); break;
    case 2: clear(t); break;
    case 3: fix(p, t); break;
    case 4: give(p, t, workers[(seed >> 44) % THREADS]->pid); break;
    case 5: list_fixations(p, t); break;
    default: change(t, (SWord)((seed >> 44) % OBJECTS));
    }
}

static void drop_messages(Process *p) {
    signal_handle(p);
    for (Message *m; (m = p->messages) != NULL;) {
        p->messages = (Message *)m->signal.next;
        message_free(m);
    }
    p->messages_last = p->save = &p->messages;
    p->message_count = 0;
}

static void work(void *data) {
    unsigned me = (unsigned)(uintptr_t)data;
    Process *p = workers[me];
    uint64_t seed = me + 1;
    thread_progress_register();
    for (unsigned i = 0; i < ROUNDS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        step(p, seed, i);
        drop_messages(p);
        if (i % 100 == 0) { /* an end of it all: its tables go to heirs or are deleted */
            int64_t reductions = 10;
            while (!ets_process_exit(p, &reductions))
                reductions = 10;
        }
        thread_progress_quiescent();
    }
    atomic_fetch_or(&p->state, STATE_EXITING);
    for (int64_t reductions = 10; !ets_process_exit(p, &reductions); reductions = 10) {
    }
    thread_progress_unregister();
}

static void nothing_is_left(void **state) {
    Thread threads[THREADS];
    thread_progress_register();
    for (unsigned i = 0; i < THREADS; i++)
        workers[i] = unit_process(STATE_RUNNING);
    thread_progress_offline();
    for (uintptr_t i = 0; i < THREADS; i++)
        thread_start(&threads[i], "worker", 0, work, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    thread_progress_online();
    assert_true(atomic_load(&hits) > 0);
    assert_int_equal(tables_count(), 0);
    for (unsigned i = 0; i < array_length(names); i++)
        assert_null(tables_find(names[i]));
    for (unsigned i = 0; i < THREADS; i++) {
        drop_messages(workers[i]);
        process_table_remove(workers[i]);
        signal_close(workers[i]); /* that a fixation has ended may have come behind its own end */
        process_free(workers[i]);
    }
    thread_progress_unregister();
    assert_int_equal(alloc_sum(ALLOC_ETS_TABLE).blocks, 0);
    assert_int_equal(alloc_sum(ALLOC_ETS_OBJECT).blocks, 0);
    assert_int_equal(alloc_sum(ALLOC_MAGIC).blocks, 0);
}

/* The thread comes to the lock of the table that main holds, or it is through. */
typedef struct {
    Process *p;
    _Atomic bool is_done;
} Hearing;

static void hear(void *data) {
    Hearing *h = data;
    thread_progress_register();
    signal_handle(h->p);
    atomic_store(&h->is_done, true);
    thread_progress_unregister();
}

/* So dirty threads may hear of it, which must not come to the lock (ets/fair_lock.h). */
static void the_end_of_a_fixation_takes_no_lock(void **state) {
    thread_progress_register();
    Process *owner = unit_process(STATE_RUNNING), *fixer = unit_process(STATE_RUNNING);
    workers[0] = owner;
    make_table(owner, am_ets, 1);
    Table *t = tables_find(am_ets);
    Hold hold;
    Hearing hearing = {.p = fixer};
    int64_t budget = INT64_MAX;
    tables_fix(t, fixer);
    assert_true(table_hold_key(t, HOLD_WRITE, small_make(1), &hold));
    assert_int_equal(table_delete_key(&hold, small_make(1)), 1);
    table_let_go(&hold);
    assert_true(atomic_load(&t->hash.purge));
    refc_binary_retain(t->binary);
    assert_true(tables_delete(t, owner));
    assert_true(tables_delete_more(t, &budget));
    table_lock_write(&t->lock, NULL);
    Thread thread;
    thread_start(&thread, "fixer", 0, hear, &hearing);
    bool comes = false;
    while (!comes && !atomic_load(&hearing.is_done))
        for (unsigned i = 0; i < LOCK_SLOTS; i++)
            comes |= (atomic_load(&t->lock.slot[i].lock.state) & FAIR_QUEUE) != 0;
    table_unlock_write(&t->lock);
    thread_progress_offline();
    thread_join(&thread);
    thread_progress_online();
    assert_false(comes);
    refc_binary_release(t->binary);
    process_table_remove(owner);
    process_table_remove(fixer);
    process_free(owner);
    process_free(fixer);
    thread_progress_unregister();
}

#define MANY 20000
#define EACH_LOOKED_FOR (MANY / 40)
#define STEPS_MORE 100 /* of builds that check what they do */

static Term numbered_name(unsigned i) {
    char text[40];
    snprintf(text, sizeof text, "u_tables_%u", i);
    return atom_from_cstring(text);
}

static void find(void *name) { assert_non_null(tables_find(*(Term *)name)); }

/* The most that any of some of the names takes. */
static int steps_to_find(unsigned count) {
    int most = 0;
    for (unsigned i = 0; i < count; i += EACH_LOOKED_FOR) {
        Term name = numbered_name(i);
        int steps = unit_steps(find, &name);
        most = steps > most ? steps : most;
    }
    return most;
}

static void name_tables(Process *p, unsigned from, unsigned to) {
    for (; from < to; from++) {
        TableOptions options = {.name = numbered_name(from),
                                .named = true,
                                .type = TABLE_ORDERED_SET,
                                .protection = TABLE_PUBLIC,
                                .keypos = 1,
                                .heir_data = NIL,
                                .heir = HEIR_NONE,
                                .write_concurrency = am_false};
        Term tid;
        assert_non_null(tables_create(p, &options, &tid));
        forget_terms(p);
    }
}

static void a_name_is_found_in_as_few_steps_among_many(void **state) {
    thread_progress_register();
    Process *p = unit_process(STATE_RUNNING);
    name_tables(p, 0, 1);
    int alone = steps_to_find(1);
    assert_true(alone > 0);
    name_tables(p, 1, MANY);
    assert_in_range(steps_to_find(MANY), 1, alone + STEPS_MORE);
    for (unsigned i = 0; i < MANY; i++)
        delete_table(p, tables_find(numbered_name(i)));
    process_table_remove(p);
    process_free(p);
    thread_progress_unregister();
}

int main(void) {
    atom_table_init(50000);
    node_table_init();
    literal_span_init();
    run_queues_init(1);
    process_table_init(PROCESS_LIMIT_MIN);
    tables_init();
    const struct CMUnitTest tests[] = {unit(nothing_is_left), unit(the_end_of_a_fixation_takes_no_lock),
                                       unit(a_name_is_found_in_as_few_steps_among_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
