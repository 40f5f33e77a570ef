/*
 * Monotonic time while its rate changes: no thread reads an earlier time than any other has read before, and where a
 * time lies on the system's clock is found again.
 */
#include "process/clock.h"

#include "sys/clock.h"
#include "sys/thread.h"
#include "unit.h"

#define READERS 3
#define CHANGES 20000

static _Atomic int64_t latest;
static _Atomic bool stop;
static _Atomic unsigned backwards;

static void read_times(void *data) {
    while (!atomic_load(&stop)) {
        int64_t before = atomic_load(&latest), time = monotonic_time();
        if (time < before)
            atomic_fetch_add(&backwards, 1);
        while (before < time && !atomic_compare_exchange_weak(&latest, &before, time)) {
        }
    }
}

static void time_never_goes_back(void **state) {
    Thread readers[READERS];
    clock_init();
    atomic_store(&latest, monotonic_time());
    for (int i = 0; i < READERS; i++)
        thread_start(&readers[i], "reader", 0, read_times, NULL);
    for (int i = 0; i < CHANGES; i++)
        (void)clock_correct(i % 3 == 0 ? 0 : i % 3 == 1 ? INT64_MAX / 2 : INT64_MIN / 2);
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++)
        thread_join(&readers[i]);
    assert_int_equal(atomic_load(&backwards), 0);
}

static void slower_time_goes_on_all_the_same(void **state) {
    clock_init();
    (void)clock_correct(INT64_MIN / 2);
    int64_t end = clock_monotonic() + 20 * NANOSECONDS_PER_MILLISECOND, before = monotonic_time();
    while (clock_monotonic() < end) {
        int64_t time = monotonic_time();
        assert_true(time >= before);
        before = time;
    }
    (void)clock_correct(0);
}

static void a_time_is_found_on_the_clock(void **state) {
    static const int64_t corrections[] = {0, INT64_MAX / 2, INT64_MIN / 2};
    for (size_t i = 0; i < array_length(corrections); i++) {
        clock_init();
        (void)clock_correct(corrections[i]);
        int64_t before = clock_monotonic(), there = clock_of_monotonic_time(monotonic_time()),
                after = clock_monotonic();
        assert_in_range(there, before - 1000, after + 1000);
        int64_t ahead = clock_of_monotonic_time(monotonic_time() + NANOSECONDS_PER_SECOND) - clock_monotonic();
        int64_t wanted = i == 0 ? 1000000000 : i == 1 ? 990099009 : 1010101010;
        assert_in_range(ahead, wanted - 20000000, wanted + 1000);
    }
}

static void a_correction_takes_a_hundred_times_as_long(void **state) {
    clock_init();
    assert_int_equal(clock_correct(20 * NANOSECONDS_PER_MILLISECOND), 2 * NANOSECONDS_PER_SECOND);
    assert_int_equal(clock_correct(-30 * NANOSECONDS_PER_MILLISECOND), 3 * NANOSECONDS_PER_SECOND);
    assert_int_equal(clock_correct(NANOSECONDS_PER_SECOND), 15 * NANOSECONDS_PER_SECOND);
    (void)clock_correct(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_never_goes_back),
        cmocka_unit_test(slower_time_goes_on_all_the_same),
        cmocka_unit_test(a_time_is_found_on_the_clock),
        cmocka_unit_test(a_correction_takes_a_hundred_times_as_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
