/*
 * A share of the time is there from the beginning. Bytes of a limit: what is refused is counted by who is through with
 * it, once, however often it was tried: a message is built again where literals have begun to leave meanwhile.
 */
#include "trace/limit.h"

#include <unistd.h>

#include "process/run_queue.h"
#include "unit.h"

static uint64_t unsaid(TraceLimit *l, Refusal why) {
    uint64_t counts[REFUSALS] = {0};
    (void)limit_take_unsaid(l, limit_bucket_here(l), counts);
    return counts[why];
}

static void refused_once(void **state) {
    const LimitOptions options = {.bytes = 1000};
    TraceLimit *l = limit_create(&options);
    assert_true(limit_admits_bytes(l, 600));
    assert_int_equal(limit_waiting(l), 600);
    for (int tries = 0; tries < 3; tries++)
        assert_false(limit_admits_bytes(l, 600));
    assert_int_equal(limit_refused(l, TOPIC_SEND), 0);
    assert_false(limit_has_unsaid(l, limit_bucket_here(l)));
    limit_refuse_bytes(l, TOPIC_SEND);
    assert_int_equal(limit_refused(l, TOPIC_SEND), 1);
    assert_int_equal(unsaid(l, REFUSED_BY_BYTES), 1);
    assert_int_equal(unsaid(l, REFUSED_BY_BYTES), 0);
    assert_int_equal(limit_waiting(l), 600);
    limit_free(l);
}

/* An event that was tried, refused, and admitted at last: none is dropped. */
static void admitted_at_last(void **state) {
    const LimitOptions options = {.bytes = 1000};
    TraceLimit *l = limit_create(&options);
    assert_true(limit_admits_bytes(l, 1000));
    assert_false(limit_admits_bytes(l, 500));
    limit_give_back(l, 1000);
    assert_true(limit_admits_bytes(l, 500));
    assert_int_equal(limit_waiting(l), 500);
    assert_int_equal(limit_refused(l, TOPIC_SEND), 0);
    limit_free(l);
}

static void too_large(void **state) {
    const LimitOptions options = {.bytes = LIMIT_BYTES_MAX};
    TraceLimit *l = limit_create(&options);
    assert_false(limit_admits_bytes(l, (size_t)LIMIT_EVENT_MAX + 1));
    assert_true(limit_admits_bytes(l, LIMIT_EVENT_MAX));
    limit_free(l);
}

static void no_limit(void **state) {
    const LimitOptions options = {.events = 1};
    TraceLimit *l = limit_create(&options);
    assert_true(limit_admits_bytes(l, (size_t)1 << 40));
    assert_int_equal(limit_waiting(l), 0);
    limit_free(l);
}

static bool enters(TraceLimit *l) {
    int64_t began;
    return limit_enter(l, TOPIC_CALL, &began);
}

/* Before the coarse clock has moved, too. */
static void begins_with_time(void **state) {
    const LimitOptions options = {.share = 1};
    for (int i = 0; i < 1000; i++) {
        TraceLimit *l = limit_create(&options);
        assert_true(enters(l));
        assert_int_equal(limit_refused(l, TOPIC_CALL), 0);
        limit_free(l);
    }
}

static void whole_share(void **state) {
    const LimitOptions options = {.share = LIMIT_SHARE_MAX};
    TraceLimit *l = limit_create(&options);
    for (int i = 0; i < 3; i++) {
        int64_t began;
        assert_true(limit_enter(l, TOPIC_CALL, &began));
        limit_leave(l, began);
    }
    limit_leave(l, clock_monotonic() - 1000 * NANOSECONDS_PER_SECOND);
    assert_true(enters(l));
    limit_free(l);
}

/* An event that took long is paid for by the time that it took. */
static void long_event(void **state) {
    const LimitOptions options = {.share = LIMIT_SHARE_MAX - 1};
    TraceLimit *l = limit_create(&options);
    limit_leave(l, clock_monotonic() - 1000 * NANOSECONDS_PER_SECOND);
    assert_false(enters(l));
    limit_free(l);
    l = limit_create(&options);
    int64_t began = clock_monotonic();
    usleep(500000);
    limit_leave(l, began);
    usleep(50000); /* the coarse clock follows */
    assert_true(enters(l));
    limit_free(l);
}

static void next_slice(RunQueue *rq) { atomic_fetch_add(&rq->context_switches, 1); }

/* However few slices a scheduler runs: where there were no events, there are some when time has passed. */
static void events_come_back(void **state) {
    const LimitOptions options = {.events = 100, .burst = 1};
    RunQueue *rq = run_queue_at(0);
    run_queue_set_self(rq);
    TraceLimit *l = limit_create(&options);
    while (limit_admits(l, TOPIC_CALL, 1)) {
    }
    assert_true(limit_refuses_at_once(l, TOPIC_CALL));
    for (int i = 0; i < 3; i++) {
        usleep(50000);
        next_slice(rq);
        assert_false(limit_refuses_at_once(l, TOPIC_CALL));
        assert_true(limit_admits(l, TOPIC_CALL, 1));
    }
    limit_free(l);
    run_queue_set_self(NULL);
}

int main(void) {
    run_queues_init(2);
    const struct CMUnitTest tests[] = {unit(refused_once), unit(admitted_at_last), unit(too_large),
                                       unit(no_limit),     unit(begins_with_time), unit(whole_share),
                                       unit(long_event),   unit(events_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
