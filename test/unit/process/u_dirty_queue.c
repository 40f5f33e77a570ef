/*
 * A dirty queue whose threads go off and on line, while those that stand there are moved up: all that is added is
 * taken, each once, and only by threads that may have been online. A wake-up that is lost makes the program hang. For
 * ThreadSanitizer. And in which order processes are taken.
 */
#include "process/dirty_queue.h"
#include "process/life.h"

#include <sched.h>
#include <unistd.h>

#include "process/run_queue.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "unit.h"

#define THREADS 4
#define PROCESSES 8
#define ROUNDS 20000
#define SECONDS 60

static _Atomic unsigned taken, taken_by[THREADS];
static _Atomic bool stop;
static Process *processes[PROCESSES];

/* What it takes it adds again, as a process does that makes one dirty call after another, until all rounds are over. */
static void dirty_thread(void *number) {
    unsigned n = (unsigned)(uintptr_t)number;
    while (!atomic_load(&stop)) {
        dirty_queue_comes_back(false);
        Process *p = dirty_queue_take(false, n);
        atomic_fetch_add(&taken_by[n], 1);
        if (atomic_fetch_add(&taken, 1) % 16 == 0)
            usleep(20);
        if (!atomic_load(&stop))
            dirty_queue_add(p, false);
        else
            process_free(p);
    }
}

static Process *create(Priority priority) {
    Process *p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    process_set_priority(p, priority);
    atomic_fetch_or(&p->state, STATE_DIRTY_CPU);
    return p;
}

static Process *add_new(Priority priority) {
    Process *p = create(priority);
    dirty_queue_add(p, false);
    return p;
}

static void begin(Thread *threads) {
    atomic_store(&stop, false);
    atomic_store(&taken, 0);
    for (int i = 0; i < PROCESSES; i++)
        processes[i] = add_new(PRIORITY_LOW - i % 3);
    for (uintptr_t i = 0; i < THREADS; i++)
        thread_start(&threads[i], "dirty", 0, dirty_thread, (void *)i);
}

static Process *take(void) {
    dirty_queue_comes_back(false);
    return dirty_queue_take(false, 0);
}

/* Those that wait are given something to take. */
static void end(Thread *threads) {
    atomic_store(&stop, true);
    dirty_queue_set_online(false, THREADS);
    for (int i = 0; i < THREADS; i++)
        add_new(PRIORITY_NORMAL);
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    while (dirty_queue_length(false) > 0)
        process_free(take());
}

static void nothing_is_lost_while_threads_come_and_go(void **state) {
    Thread threads[THREADS];
    unsigned seed = 1;
    int64_t deadline = clock_monotonic() + SECONDS * NANOSECONDS_PER_SECOND;
    begin(threads);
    while (atomic_load(&taken) < ROUNDS) {
        assert_true(clock_monotonic() < deadline);
        dirty_queue_set_online(false, 1 + (unsigned)rand_r(&seed) % THREADS);
        process_lend_priority(processes[(unsigned)rand_r(&seed) % PROCESSES], (unsigned)rand_r(&seed) % PRIORITY_COUNT);
        if (rand_r(&seed) % 4 == 0)
            usleep(50);
    }
    end(threads);
}

static void who_is_off_line_takes_nothing(void **state) {
    Thread threads[THREADS];
    begin(threads);
    dirty_queue_set_online(false, 1);
    usleep(20000); /* what they had taken before they are through with */
    unsigned before = atomic_load(&taken_by[3]), first = atomic_load(&taken_by[0]);
    while (atomic_load(&taken_by[0]) < first + 1000)
        sched_yield();
    assert_int_equal(atomic_load(&taken_by[3]), before);
    end(threads);
}

static void assert_taken(Process *p) {
    assert_ptr_equal(take(), p);
    process_free(p);
}

static void who_is_more_urgent_is_taken_first(void **state) {
    Process *low = add_new(PRIORITY_LOW), *normal = add_new(PRIORITY_NORMAL);
    Process *high = add_new(PRIORITY_HIGH), *max = add_new(PRIORITY_MAX), *later = add_new(PRIORITY_MAX);
    assert_taken(max);
    assert_taken(later);
    assert_taken(high);
    for (int i = 0; i < LOW_SKIPS; i++) {
        assert_taken(normal);
        normal = add_new(PRIORITY_NORMAL);
    }
    assert_taken(low);
    assert_taken(normal);
    assert_int_equal(dirty_queue_length(false), 0);
}

/* Who lends wants the call to be over; who asks does not. */
static void who_is_lent_a_priority_moves_up_and_who_is_asked_does_not(void **state) {
    Process *p[4];
    for (unsigned i = 0; i < array_length(p); i++)
        p[i] = add_new(PRIORITY_LOW);
    process_raise_priority(p[1], PRIORITY_MAX);
    assert_true(process_lend_priority(p[2], PRIORITY_NORMAL));
    assert_true(process_lend_priority(p[3], PRIORITY_MAX));
    Process *lent_before = create(PRIORITY_LOW);
    assert_true(process_lend_priority(lent_before, PRIORITY_HIGH));
    dirty_queue_add(lent_before, false);
    assert_taken(p[3]);
    assert_taken(lent_before);
    for (int i = 0; i < LOW_SKIPS; i++)
        assert_true(process_lend_priority(p[2], PRIORITY_LOW) == false); /* does not move it down */
    assert_taken(p[2]);
    assert_taken(p[0]);
    assert_taken(p[1]);
}

/* One that left for a while is next, but for who is more urgent; and it gets ahead of one of the new ones only. */
static void who_returns_keeps_his_turn(void **state) {
    Process *p[4], *away[3];
    for (unsigned i = 0; i < array_length(away); i++) {
        away[i] = add_new(i == 2 ? PRIORITY_HIGH : PRIORITY_LOW);
        assert_true(dirty_queue_remove(away[i]));
        assert_false(dirty_queue_remove(away[i]));
        assert_false(dirty_queue_has(away[i]));
    }
    for (unsigned i = 0; i < array_length(p); i++)
        p[i] = add_new(PRIORITY_LOW);
    Process *high = add_new(PRIORITY_HIGH);
    assert_taken(high);
    assert_taken(p[0]);
    for (unsigned i = 0; i < array_length(away); i++)
        dirty_queue_add(away[i], false);
    assert_taken(away[2]);
    assert_taken(p[1]);
    assert_taken(away[0]);
    assert_taken(p[2]);
    assert_true(process_lend_priority(away[1], PRIORITY_NORMAL));
    assert_taken(away[1]);
    assert_taken(p[3]);
}

int main(void) {
    dirty_queues_init(THREADS, 1);
    const struct CMUnitTest tests[] = {
        unit(who_is_more_urgent_is_taken_first), unit(who_is_lent_a_priority_moves_up_and_who_is_asked_does_not),
        unit(who_returns_keeps_his_turn), unit(nothing_is_lost_while_threads_come_and_go),
        unit(who_is_off_line_takes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
