/*
 * Figures of calls, written by several threads while another sums them up and begins anew: no call is lost, and nothing
 * is read that was freed. And their handles, when very many were made and are there: none is ever used again.
 */
#include "trace/cost.c"

#include "term/boxed.h"
#include "unit.h"

#define QUEUES 3
#define ROUNDS 20000
#define PIDS 500

static Term key(unsigned i) { return small_make((SWord)i); }

static int64_t total(const CallCost *c, size_t *count) {
    int64_t calls = 0;
    CostSum *sums = cost_sums(c, count);
    for (size_t i = 0; i < *count; i++)
        calls += sums[i].calls;
    mem_free(ALLOC_TEMP, sums);
    return calls;
}

static void handles(void **state) {
    CallCost *a = cost_create(), *b = cost_create();
    Word of_a = a->handle;
    assert_ptr_equal(cost_find(a->handle), a);
    assert_ptr_equal(cost_find(b->handle), b);
    assert_null(cost_find(0));
    cost_drop(a);
    assert_null(cost_find(of_a));
    CallCost *c = cost_create(); /* in the same place, under another number */
    assert_true(c->handle != of_a);
    assert_null(cost_find(of_a));
    assert_ptr_equal(cost_find(c->handle), c);
    cost_drop(b);
    cost_drop(c);
    thread_progress_quiescent();
}

static void figures(void **state) {
    size_t count;
    CallCost *c = cost_create();
    assert_null(cost_sums(c, &count));
    assert_int_equal(count, 0);
    run_queue_set_self(run_queue_at(0));
    for (unsigned i = 0; i < PIDS; i++)
        cost_add(c, key(i), 1, i);
    run_queue_set_self(run_queue_at(1));
    cost_add(c, key(7), 2, 10);
    run_queue_set_self(NULL);
    cost_add(c, key(7), 4, 100);
    CostSum *sums = cost_sums(c, &count);
    assert_int_equal(count, PIDS);
    for (size_t i = 0; i < count; i++) {
        bool seventh = sums[i].pid == key(7);
        assert_int_equal(sums[i].calls, seventh ? 7 : 1);
        assert_int_equal(sums[i].amount, seventh ? 117 : small_value(sums[i].pid));
    }
    mem_free(ALLOC_TEMP, sums);
    cost_restart(c);
    assert_int_equal(total(c, &count), 0);
    assert_int_equal(count, 0);
    cost_add(c, key(1), 1, 1);
    assert_int_equal(total(c, &count), 1);
    cost_drop(c);
}

static CallCost *shared;
static _Atomic int running;

static void writer(void *queue) {
    thread_progress_register();
    run_queue_set_self(queue);
    for (unsigned i = 0; i < ROUNDS; i++) {
        cost_add(shared, key(i % PIDS), 1, 1);
        thread_progress_quiescent();
    }
    atomic_fetch_sub(&running, 1);
    thread_progress_unregister();
}

static void together(void **state) {
    Thread threads[QUEUES + 2];
    shared = cost_create();
    atomic_store(&running, QUEUES + 2);
    for (unsigned i = 0; i < QUEUES + 2; i++)
        thread_start(&threads[i], "writer", 0, writer, i < QUEUES ? run_queue_at(i) : NULL);
    int64_t before = 0;
    size_t count;
    while (atomic_load(&running) > 0) {
        int64_t now = total(shared, &count);
        assert_true(now >= before);
        before = now;
        thread_progress_quiescent();
    }
    for (unsigned i = 0; i < QUEUES + 2; i++)
        thread_join(&threads[i]);
    assert_int_equal(total(shared, &count), (QUEUES + 2) * ROUNDS);
    assert_int_equal(count, PIDS);
    cost_drop(shared);
}

static void begun_anew(void **state) {
    Thread threads[QUEUES];
    shared = cost_create();
    atomic_store(&running, QUEUES);
    for (unsigned i = 0; i < QUEUES; i++)
        thread_start(&threads[i], "writer", 0, writer, run_queue_at(i));
    size_t count;
    while (atomic_load(&running) > 0) {
        cost_restart(shared);
        assert_true(total(shared, &count) <= QUEUES * ROUNDS);
        thread_progress_quiescent();
    }
    for (unsigned i = 0; i < QUEUES; i++)
        thread_join(&threads[i]);
    cost_restart(shared);
    assert_int_equal(total(shared, &count), 0);
    cost_drop(shared);
}

static void more_than_sixteen_million(void **state) {
    indices_used = 1u << 24;
    CallCost *c[CHUNK_SLOTS + 1];
    for (unsigned i = 0; i < array_length(c); i++)
        c[i] = cost_create();
    for (unsigned i = 0; i < array_length(c); i++) {
        assert_ptr_equal(cost_find(c[i]->handle), c[i]);
        assert_true(c[i]->handle < (Word)1 << 60);
        cost_drop(c[i]);
    }
    thread_progress_quiescent();
}

static void a_place_that_was_used_up_is_used_no_more(void **state) {
    CallCost *c = cost_create();
    unsigned slot;
    CostChunk *chunk = chunk_of(c->handle, &slot);
    Word first = c->handle, index = (uint32_t)c->handle;
    cost_drop(c);
    chunk->uses[slot] = USES_MAX - 2;
    c = cost_create();
    Word last = c->handle;
    assert_int_equal((uint32_t)last, index);
    assert_true(last > first && last < (Word)1 << 60);
    cost_drop(c);
    c = cost_create();
    assert_int_not_equal((uint32_t)c->handle, index);
    assert_null(cost_find(first));
    assert_null(cost_find(last));
    cost_drop(c);
    thread_progress_quiescent();
}

static int begin(void **state) {
    run_queues_init(QUEUES);
    thread_progress_register();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(handles),
                                       unit(figures),
                                       unit(together),
                                       unit(begun_anew),
                                       unit(more_than_sixteen_million),
                                       unit(a_place_that_was_used_up_is_used_no_more)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
