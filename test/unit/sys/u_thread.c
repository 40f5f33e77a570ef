#include "sys/clock.h"
#include "sys/spin.h"
#include "sys/thread.h"
#include "unit.h"

enum { ROUNDS = 20000 };
static SysEvent ping, pong;
static _Atomic int turns;

static void answer(void *data) {
    for (int i = 0; i < ROUNDS; i++) {
        event_wait(&ping, -1);
        event_reset(&ping);
        atomic_fetch_add(&turns, 1);
        event_wake(&pong);
    }
}

/* Each wake is seen exactly once: a lost one would hang, a doubled one would miscount. */
static void events_are_not_lost(void **state) {
    event_init(&ping);
    event_init(&pong);
    Thread thread;
    thread_start(&thread, "a name that is far too long", 256 * 1024, answer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        event_wake(&ping);
        assert_true(event_wait(&pong, clock_monotonic() + 10 * NANOSECONDS_PER_SECOND));
        event_reset(&pong);
        assert_int_equal(atomic_load(&turns), i + 1);
    }
    thread_join(&thread);
}

static void event_wait_times_out(void **state) {
    SysEvent event;
    event_init(&event);
    int64_t start = clock_monotonic();
    assert_false(event_wait(&event, start + 5 * NANOSECONDS_PER_MILLISECOND));
    assert_true(clock_monotonic() - start >= 5 * NANOSECONDS_PER_MILLISECOND);
    event_wake(&event);
    assert_true(event_wait(&event, clock_monotonic()));
}

static Mutex guard = MUTEX_INITIALIZER(LOCK_MODULE_TABLE);
static int guarded;

static void add(void *data) {
    for (int i = 0; i < 100000; i++) {
        mutex_lock(&guard);
        guarded++;
        mutex_unlock(&guard);
    }
}

static void mutex_excludes(void **state) {
    Thread thread[2];
    thread_start(&thread[0], "one", 0, add, NULL);
    thread_start(&thread[1], "two", 0, add, NULL);
    thread_join(&thread[0]);
    thread_join(&thread[1]);
    assert_int_equal(guarded, 200000);
    assert_true(mutex_try_lock(&guard));
    mutex_unlock(&guard);
}

static void condition_times_out(void **state) {
    Condition condition;
    condition_init(&condition);
    mutex_lock(&guard);
    int64_t deadline = clock_monotonic() + NANOSECONDS_PER_MILLISECOND;
    while (condition_wait_until(&condition, &guard, deadline)) {
    }
    assert_true(clock_monotonic() >= deadline);
    mutex_unlock(&guard);
    condition_release(&condition);
}

static _Atomic bool has_come;
static void come(void *data) { atomic_store(&has_come, true); }

/* To another thread, which has no other. */
static void a_spin_gives_the_only_processor_away(void **state) {
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    spin_init();
    assert_true(spin_gives_way);
    Thread thread;
    thread_start(&thread, "other", 0, come, NULL);
    Spin spin = spin_begin(60 * NANOSECONDS_PER_SECOND);
    while (!atomic_load(&has_come) && spin_goes_on(&spin)) {
    }
    assert_true(atomic_load(&has_come));
    thread_join(&thread);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    spin_init();
    assert_int_equal(spin_gives_way, CPU_COUNT(&before) == 1);
}

UNIT_TESTS(unit(events_are_not_lost), unit(event_wait_times_out), unit(mutex_excludes), unit(condition_times_out),
           unit(a_spin_gives_the_only_processor_away))
