/*
 * Counters of calls: several threads count while another reads and begins anew; no call is lost. For ThreadSanitizer.
 */
#include "process/call_count.h"

#include "base/thread_progress.h"
#include "sys/thread.h"
#include "unit.h"

#define QUEUES 3
#define OTHERS 2
#define ROUNDS 200000

static void one_alone(void **state) {
    CallCount *c = call_count_create();
    assert_int_equal(call_count_read(c), 0);
    for (unsigned i = 0; i < QUEUES; i++) {
        run_queue_set_self(run_queue_at(i));
        call_count_add(c);
    }
    run_queue_set_self(NULL);
    call_count_add(c);
    assert_int_equal(call_count_read(c), QUEUES + 1);
    atomic_store(&c->is_paused, true);
    call_count_add(c);
    assert_int_equal(call_count_read(c), QUEUES + 1);
    call_count_restart(c);
    assert_int_equal(call_count_read(c), 0);
    call_count_add(c);
    assert_int_equal(call_count_read(c), 1);
    call_count_drop(c);
}

/* More than a bank of them; those that come after others have gone begin at 0. */
static void many(void **state) {
    CallCount *c[5 * CALL_COUNTS];
    for (unsigned turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < array_length(c); i += turn == 2 ? 2 : 1) {
            c[i] = call_count_create();
            assert_int_equal(call_count_read(c[i]), 0);
        }
        for (size_t i = 0; i < array_length(c); i++)
            for (size_t n = 0; n <= i; n++)
                call_count_add(c[i]);
        for (size_t i = 0; i < array_length(c); i++)
            assert_int_equal(call_count_read(c[i]), turn == 2 && i % 2 == 1 ? 2 * (i + 1) : i + 1);
        for (size_t i = 0; i < array_length(c); i += turn == 1 ? 2 : 1)
            call_count_drop(c[i]);
    }
}

static CallCount *shared;
static _Atomic int running;

static void writer(void *queue) {
    run_queue_set_self(queue);
    for (unsigned i = 0; i < ROUNDS; i++)
        call_count_add(shared);
    atomic_fetch_sub(&running, 1);
}

static void start(Thread *threads) {
    shared = call_count_create();
    atomic_store(&running, QUEUES + OTHERS);
    for (unsigned i = 0; i < QUEUES + OTHERS; i++)
        thread_start(&threads[i], "writer", 0, writer, i < QUEUES ? run_queue_at(i) : NULL);
}

static void join(Thread *threads) {
    for (unsigned i = 0; i < QUEUES + OTHERS; i++)
        thread_join(&threads[i]);
}

static void together(void **state) {
    Thread threads[QUEUES + OTHERS];
    start(threads);
    int64_t before = 0;
    while (atomic_load(&running) > 0) {
        int64_t now = call_count_read(shared);
        assert_true(now >= before);
        before = now;
    }
    join(threads);
    assert_int_equal(call_count_read(shared), (QUEUES + OTHERS) * ROUNDS);
    call_count_drop(shared);
}

static void begun_anew(void **state) {
    Thread threads[QUEUES + OTHERS];
    start(threads);
    while (atomic_load(&running) > 0) {
        call_count_restart(shared);
        int64_t now = call_count_read(shared);
        assert_true(now >= 0 && now <= (QUEUES + OTHERS) * ROUNDS);
    }
    join(threads);
    call_count_restart(shared);
    assert_int_equal(call_count_read(shared), 0);
    call_count_drop(shared);
}

static int begin(void **state) {
    run_queues_init(QUEUES);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(one_alone), unit(many), unit(together), unit(begun_anew)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
