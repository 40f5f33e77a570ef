/*
 * A dirty queue whose threads go off and on line: all that is added is taken, each once, and only by threads that may
 * have been online. A wake-up that is lost makes the program hang. For ThreadSanitizer.
 */
#include "process/dirty_queue.h"
#include "process/life.h"

#include <sched.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/thread.h"
#include "unit.h"

#define THREADS 4
#define PROCESSES 8
#define ROUNDS 20000
#define SECONDS 60

static _Atomic unsigned taken, taken_by[THREADS];
static _Atomic bool stop;

/* What it takes it adds again, as a process does that makes one dirty call after another, until all rounds are over. */
static void dirty_thread(void *number) {
    unsigned n = (unsigned)(uintptr_t)number;
    while (!atomic_load(&stop)) {
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

static void add_new(void) { dirty_queue_add(process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535), false); }

static void begin(Thread *threads) {
    atomic_store(&stop, false);
    atomic_store(&taken, 0);
    for (int i = 0; i < PROCESSES; i++)
        add_new();
    for (uintptr_t i = 0; i < THREADS; i++)
        thread_start(&threads[i], "dirty", 0, dirty_thread, (void *)i);
}

/* Those that wait are given something to take. */
static void end(Thread *threads) {
    atomic_store(&stop, true);
    dirty_queue_set_online(false, THREADS);
    for (int i = 0; i < THREADS; i++)
        add_new();
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    while (dirty_queue_length(false) > 0)
        process_free(dirty_queue_take(false, 0));
}

static void nothing_is_lost_while_threads_come_and_go(void **state) {
    Thread threads[THREADS];
    unsigned seed = 1;
    int64_t deadline = clock_monotonic() + SECONDS * NANOSECONDS_PER_SECOND;
    begin(threads);
    while (atomic_load(&taken) < ROUNDS) {
        assert_true(clock_monotonic() < deadline);
        dirty_queue_set_online(false, 1 + (unsigned)rand_r(&seed) % THREADS);
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

int main(void) {
    dirty_queues_init(THREADS, 1);
    const struct CMUnitTest tests[] = {unit(nothing_is_lost_while_threads_come_and_go),
                                       unit(who_is_off_line_takes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
