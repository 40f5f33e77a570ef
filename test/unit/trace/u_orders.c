/*
 * What a session asks of all, read by several threads while it is replaced: a reader finds the order of the epoch that
 * it has seen, or a newer one, and nothing that was freed; the tracers of orders that are void go.
 */
#include "trace/orders.h"

#include "alloc/alloc.h"
#include "process/process_table.h"
#include "process/trace_point.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/boxed.h"
#include "unit.h"

#define READERS 3
#define ROUNDS 20000

static TraceOrdersWord word;
static Mutex lock = MUTEX_INITIALIZER(LOCK_TRACE_SESSION);

static Tracer numbered(uint64_t epoch) { return tracer_of_module(am_error, small_make((SWord)epoch)); }
static SWord number_of(Tracer t) { return small_value(tuple_elements(t.term)[1]); }

/* An order whose tracer has its number as its state. */
static void add(bool on, uint32_t flags, uint64_t epoch) {
    TraceOrder order = {.on = on, .flags = flags, .tracer = on ? numbered(epoch) : TRACER_UNNAMED};
    mutex_lock(&lock);
    orders_add(&word, &order, epoch);
    atomic_store(&the_trace_epoch, epoch);
    mutex_unlock(&lock);
    tracer_drop(order.tracer);
}

static void clear(void) {
    mutex_lock(&lock);
    orders_clear(&word);
    mutex_unlock(&lock);
}

static void newest_counts(void **state) {
    assert_null(orders_now(&word));
    assert_false(orders_have_newer(orders_now(&word), 0));
    add(true, 1, 1);
    add(true, 2, 2);
    assert_int_equal(orders_now(&word)->count, 2); /* they have different tracers */
    assert_true(orders_have_newer(orders_now(&word), 1));
    assert_false(orders_have_newer(orders_now(&word), 2));
    add(false, 1, 3);
    const TraceOrders *o = orders_now(&word);
    assert_int_equal(o->count, 3); /* the first decides whether the second is refused */
    assert_int_equal(o->log[0].order.flags, 1);
    assert_int_equal(number_of(o->log[0].order.tracer), 1);
    assert_false(o->log[2].order.on);
    add(false, 3, 4);
    assert_int_equal(orders_now(&word)->count, 1);
    clear();
    assert_null(orders_now(&word));
}

static void same_tracer(void **state) {
    for (uint64_t epoch = 1; epoch <= 100; epoch++) {
        TraceOrder order = {.on = epoch % 2, .flags = 5, .tracer = numbered(0)};
        orders_add(&word, &order, epoch);
        tracer_drop(order.tracer);
    }
    assert_int_equal(orders_now(&word)->count, 2);
    clear();
}

/* There are no processes here: every pid is one of a process that is no more. */
static void tracers_that_are_gone(void **state) {
    for (uint64_t epoch = 1; epoch <= 100; epoch++) {
        TraceOrder order = {.on = true, .flags = 1, .tracer = {pid_make(epoch)}};
        orders_add(&word, &order, epoch);
    }
    assert_int_equal(orders_now(&word)->count, 1);
    clear();
}

static void fresh(void **state) {
    size_t before = atomic_load(&trace_fresh_sessions);
    Tracer t = numbered(7);
    orders_set_fresh(&word, 0, TRACER_NOBODY);
    assert_null(orders_now(&word));
    orders_set_fresh(&word, 3, t);
    tracer_drop(t);
    assert_int_equal(atomic_load(&trace_fresh_sessions), before + 1);
    add(true, 1, 8);
    assert_int_equal(orders_fresh_flags(orders_now(&word)), 3);
    assert_int_equal(number_of(orders_now(&word)->fresh_tracer), 7);
    orders_set_fresh(&word, 0, TRACER_NOBODY);
    assert_int_equal(atomic_load(&trace_fresh_sessions), before);
    assert_int_equal(orders_now(&word)->count, 1);
    clear();
}

static void seen_by_all(void **state) {
    orders_forget(&word, 5);
    assert_null(orders_now(&word));
    for (uint64_t epoch = 1; epoch <= ORDERS_BETWEEN; epoch++) {
        assert_false(orders_are_many(orders_now(&word)));
        add(true, 1, epoch); /* of different tracers: none overrides another */
    }
    assert_true(orders_are_many(orders_now(&word)));
    orders_forget(&word, 0);
    assert_int_equal(orders_now(&word)->count, ORDERS_BETWEEN);
    assert_false(orders_are_many(orders_now(&word)));
    orders_forget(&word, ORDERS_BETWEEN - 2);
    const TraceOrders *o = orders_now(&word);
    assert_int_equal(o->count, 2);
    assert_int_equal(number_of(o->log[0].order.tracer), ORDERS_BETWEEN - 1);
    assert_true(orders_have_newer(o, ORDERS_BETWEEN - 1));
    orders_forget(&word, ORDERS_BETWEEN);
    assert_null(orders_now(&word));
}

static _Atomic int reading;

static void reader(void *data) {
    thread_progress_register();
    uint64_t seen = 0;
    while (seen < ROUNDS) {
        seen = atomic_load(&the_trace_epoch);
        const TraceOrders *o = orders_now(&word);
        if (seen > 0)
            assert_true(orders_have_newer(o, seen - 1));
        for (size_t i = 0; o != NULL && i < o->count; i++)
            if (o->log[i].order.on)
                assert_int_equal(number_of(o->log[i].order.tracer), (SWord)o->log[i].epoch);
        thread_progress_quiescent();
    }
    atomic_fetch_sub(&reading, 1);
    thread_progress_unregister();
}

static void together(void **state) {
    Thread threads[READERS];
    atomic_store(&the_trace_epoch, 0);
    atomic_store(&reading, READERS);
    for (unsigned i = 0; i < READERS; i++)
        thread_start(&threads[i], "reader", 0, reader, NULL);
    for (uint64_t epoch = 1; epoch <= ROUNDS; epoch++) {
        add(epoch % 3 != 0, epoch % 3 == 0 ? 3 : (uint32_t)(epoch % 3), epoch);
        thread_progress_quiescent();
    }
    while (atomic_load(&reading) > 0)
        thread_progress_quiescent();
    for (unsigned i = 0; i < READERS; i++)
        thread_join(&threads[i]);
    clear();
}

static int begin(void **state) {
    process_table_init(1024);
    thread_progress_register();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(newest_counts), unit(same_tracer), unit(tracers_that_are_gone),
                                       unit(fresh),         unit(seen_by_all), unit(together)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
