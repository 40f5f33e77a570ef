/* Counting of long work: when the hook is called, what a slice adds up to, and who goes offline. */
#include "base/long_work.h"
#include "base/thread_progress.h"
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned given_away, told;
static void give_away(void) { given_away++; }
static void leave_soon(void) { told++; }

static int begin(void **state) {
    given_away = told = 0;
    long_work_here.leave_soon = leave_soon;
    long_work_here.give_away = give_away;
    if (!thread_progress_is_registered())
        thread_progress_register();
    long_work_begin();
    return 0;
}

static void short_work_gives_nothing_away(void **state) {
    long_work_count(LONG_WORK_UNITS - LONG_WORK_GRACE);
    assert_int_equal(told, 0);
    assert_false(long_work_is_exceeded());
    long_work_count(LONG_WORK_GRACE);
    assert_int_equal(given_away, 0);
    assert_int_equal(long_work_end(), LONG_WORK_UNITS);
}

/* It is told once for each slice, when there is time yet for what it is in. */
static void many_short_calls_give_nothing_away(void **state) {
    for (unsigned slice = 1; slice <= 3; slice++) {
        while (!long_work_is_exceeded())
            long_work_count(LONG_WORK_GRACE / 2);
        assert_int_equal(told, slice);
        assert_true(long_work_end() <= LONG_WORK_UNITS - LONG_WORK_GRACE / 2);
    }
    assert_int_equal(given_away, 0);
}

static void a_long_call_is_told_and_then_gives_away(void **state) {
    while (given_away == 0)
        long_work_count(LONG_WORK_GRACE / 10);
    assert_int_equal(told, 1);
    assert_int_equal(long_work_units(), LONG_WORK_UNITS + LONG_WORK_GRACE / 10);
    while (given_away == 1)
        long_work_count(LONG_WORK_GRACE);
    assert_int_equal(told, 1);
    assert_true(long_work_units() > 2 * LONG_WORK_UNITS);
}

static void who_hurries_has_no_grace(void **state) {
    long_work_hurry(10);
    long_work_count(10);
    assert_int_equal(given_away, 0);
    long_work_count(1);
    assert_int_equal(given_away, 1);
    assert_int_equal(told, 0);
    assert_int_equal(long_work_end(), 11);
}

static void long_work_gives_away(void **state) {
    long_work_count(LONG_WORK_UNITS - 1);
    long_work_count(2);
    assert_int_equal(given_away, 1);
    assert_true(long_work_is_exceeded());
    assert_true(thread_progress_may_read());
    assert_int_equal(long_work_end(), LONG_WORK_UNITS + 1);
    assert_false(long_work_is_exceeded());
    assert_int_equal(long_work_end(), 0);
}

static void much_at_once_is_counted_in_full(void **state) {
    long_work_count(7 * (int64_t)LONG_WORK_UNITS);
    assert_int_equal(given_away, 1);
    assert_int_equal(told, 0);
    assert_int_equal(long_work_units(), 7 * (int64_t)LONG_WORK_UNITS);
}

static void loops_count_by_the_round(void **state) {
    unsigned left = LONG_WORK_ROUND;
    for (int i = 0; i < 3 * LONG_WORK_ROUND + 5; i++)
        left = long_work_step(left, 4);
    assert_int_equal(long_work_units(), 3 * LONG_WORK_ROUND * 4);
    long_work_rest(left, 4);
    assert_int_equal(long_work_units(), (3 * LONG_WORK_ROUND + 5) * 4);
}

static void few_elements_are_not_counted(void **state) {
    long_work_count_large(LONG_WORK_LEAST - 1, 1000);
    assert_int_equal(long_work_units(), 0);
    long_work_count_large(LONG_WORK_LEAST, 10);
    assert_int_equal(long_work_units(), LONG_WORK_LEAST * 10);
}

static void open_work_goes_offline_and_comes_back(void **state) {
    uint32_t absences = long_work_absences();
    {
        LONG_WORK_OPEN;
        long_work_count(LONG_WORK_UNITS);
        assert_true(thread_progress_may_read());
        assert_int_equal(long_work_absences(), absences);
        {
            LONG_WORK_OPEN_IF(true);
            long_work_count(1);
            assert_false(thread_progress_may_read());
        }
        long_work_count(2 * (int64_t)LONG_WORK_UNITS);
        assert_false(thread_progress_may_read());
    }
    assert_true(thread_progress_may_read());
    assert_int_equal(long_work_absences(), absences + 1);
}

static void closed_for_small_input(void **state) {
    LONG_WORK_OPEN_IF(false);
    long_work_count(2 * (int64_t)LONG_WORK_UNITS);
    assert_true(thread_progress_may_read());
}

static void no_hook_no_effect(void **state) {
    long_work_here.leave_soon = long_work_here.give_away = NULL;
    LONG_WORK_OPEN;
    long_work_count(2 * (int64_t)LONG_WORK_UNITS);
    assert_false(long_work_is_exceeded());
    assert_true(thread_progress_may_read());
    assert_int_equal(long_work_units(), 2 * (int64_t)LONG_WORK_UNITS);
}

/* As in a destructor that a collection calls. */
static void open_work_stays_online_where_it_entered(void **state) {
    uint32_t absences = long_work_absences();
    long_work_open();
    thread_progress_enter();
    long_work_count(2 * LONG_WORK_UNITS);
    assert_int_equal(given_away, 1);
    assert_true(thread_progress_may_read());
    thread_progress_leave();
    assert_int_equal(long_work_absences(), absences);
    long_work_count(2 * LONG_WORK_UNITS);
    assert_int_equal(long_work_absences(), absences + 1);
    long_work_close();
    assert_true(thread_progress_may_read());
}

/* The rest is about debug builds only. */
#ifdef VIV_DEBUG
static void torture_gives_away_at_each_count(void **state) {
    long_work_torture = 2;
    for (int i = 0; i < 4; i++)
        long_work_count(1);
    long_work_count_large(0, 1);
    long_work_count_large(1, 1);
    assert_int_equal(given_away, 3);
    {
        LONG_WORK_OPEN_IF(false);
        long_work_count(1);
        long_work_count(1);
        assert_false(thread_progress_may_read());
    }
    long_work_torture = 0;
    assert_true(thread_progress_may_read());
    assert_int_equal(long_work_units(), 6);
}

/* In a process of its own: it panics. */
static bool panics(void (*act)(void)) {
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        act();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void count_little(void) { long_work_count_large(0, 1); }
static void count_little_where_it_is_forbidden(void) {
    LONG_WORK_FORBID;
    count_little();
}
static void count_little_behind(void) {
    {
        LONG_WORK_FORBID;
    }
    count_little();
}

static void counting_where_it_is_forbidden_panics(void **state) {
    signal(SIGABRT, SIG_DFL);
    assert_true(panics(count_little_where_it_is_forbidden));
    assert_false(panics(count_little_behind));
    assert_false(panics(count_little));
}
#define DEBUG_TESTS , fresh(torture_gives_away_at_each_count), fresh(counting_where_it_is_forbidden_panics)
#else
#define DEBUG_TESTS
#endif

#define fresh(name) cmocka_unit_test_setup(name, begin)
UNIT_TESTS(fresh(short_work_gives_nothing_away), fresh(many_short_calls_give_nothing_away),
           fresh(a_long_call_is_told_and_then_gives_away), fresh(who_hurries_has_no_grace), fresh(long_work_gives_away),
           fresh(much_at_once_is_counted_in_full), fresh(loops_count_by_the_round), fresh(few_elements_are_not_counted),
           fresh(open_work_goes_offline_and_comes_back), fresh(open_work_stays_online_where_it_entered),
           fresh(closed_for_small_input), fresh(no_hook_no_effect) DEBUG_TESTS)
