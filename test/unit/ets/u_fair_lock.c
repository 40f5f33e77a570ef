/*
 * The fair lock: who is in with whom, who goes before whom, and that nobody sleeps for ever; for ThreadSanitizer, which
 * sees what the lock guards changed without any other order. Steps that depend on another thread's waiting look for it
 * in the lock's word: no test goes by time.
 */
#include "ets/fair_lock.h"

#include "sys/thread.h"
#include "unit.h"

#include <sched.h>
#include <unistd.h>

static FairLock lock;
static _Atomic unsigned events;
static unsigned reader_came, writer_came; /* at which event */

static void wait_for_bit(uint32_t bit) {
    while (!(atomic_load(&lock.state) & bit))
        sched_yield();
}

static void read_once(void *data) {
    fair_lock_read(&lock, NULL);
    reader_came = atomic_fetch_add(&events, 1);
    fair_lock_end_read(&lock);
}

static void write_once(void *data) {
    fair_lock_write(&lock, NULL);
    writer_came = atomic_fetch_add(&events, 1);
    fair_lock_end_write(&lock);
}

static void readers_come_together(void **state) {
    assert_true(fair_lock_try_read(&lock));
    assert_true(fair_lock_try_read(&lock));
    assert_false(fair_lock_try_write(&lock));
    fair_lock_end_read(&lock);
    assert_false(fair_lock_try_write(&lock));
    fair_lock_end_read(&lock);
    assert_true(fair_lock_try_write(&lock));
    assert_false(fair_lock_try_read(&lock));
    fair_lock_end_write(&lock);
    assert_int_equal(atomic_load(&lock.state), 0);
}

/* While readers are in, a writer comes: from then on they become fewer, and it is in before a later reader. */
static void a_waiting_writer_is_not_passed(void **state) {
    for (int i = 0; i < 200; i++) {
        Thread writer, reader;
        events = 0;
        fair_lock_read(&lock, NULL);
        fair_lock_read(&lock, NULL);
        thread_start(&writer, "writer", 0, write_once, NULL);
        wait_for_bit(FAIR_QUEUE);
        assert_false(fair_lock_try_read(&lock));
        thread_start(&reader, "reader", 0, read_once, NULL);
        if (i % 2)
            usleep(100); /* it sleeps by now, or not */
        assert_int_equal(atomic_load(&events), 0);
        fair_lock_end_read(&lock);
        assert_int_equal(atomic_load(&events), 0);
        fair_lock_end_read(&lock);
        thread_join(&writer);
        thread_join(&reader);
        assert_int_equal(writer_came, 0);
        assert_int_equal(reader_came, 1);
        assert_int_equal(atomic_load(&lock.state), 0);
    }
}

/* A writer is in; whoever reads and waits by then comes before the next writer, whichever of the two came first. */
static void waiting_readers_come_before_the_next_writer(void **state) {
    for (int i = 0; i < 200; i++) {
        Thread writer, reader;
        events = 0;
        fair_lock_write(&lock, NULL);
        thread_start(&reader, "reader", 0, read_once, NULL);
        wait_for_bit(FAIR_QUEUE);
        thread_start(&writer, "writer", 0, write_once, NULL);
        if (i % 2)
            usleep(100);
        fair_lock_end_write(&lock);
        thread_join(&writer);
        thread_join(&reader);
        assert_int_equal(reader_came, 0);
        assert_int_equal(writer_came, 1);
        assert_int_equal(atomic_load(&lock.state), 0);
    }
}

/* Writers that never let the lock be free for long, and readers whose turns overlap: each comes in so many times. */
#define THREADS 6
#define TURNS 4000
static uint64_t shared[4];
static _Atomic int writers_in, readers_in, finished;

static void check_alone(void) {
    assert_int_equal(atomic_fetch_add(&writers_in, 1), 0);
    assert_int_equal(atomic_load(&readers_in), 0);
    for (unsigned i = 0; i < array_length(shared); i++)
        shared[i]++;
    atomic_fetch_sub(&writers_in, 1);
}

static void check_shared(void) {
    atomic_fetch_add(&readers_in, 1);
    assert_int_equal(atomic_load(&writers_in), 0);
    for (unsigned i = 1; i < array_length(shared); i++)
        assert_int_equal(shared[i], shared[0]);
    atomic_fetch_sub(&readers_in, 1);
}

static void take_turns(void *data) {
    uint64_t seed = (uintptr_t)data;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bool writes = (seed >> 33) % 3 == 0, yields = (seed >> 40) % 16 == 0;
        if (writes)
            fair_lock_write(&lock, NULL);
        else
            fair_lock_read(&lock, NULL);
        (writes ? check_alone : check_shared)();
        if (yields)
            (seed >> 45) % 8 ? sched_yield() : usleep(50); /* so that others spin out, and sleep */
        if (writes)
            fair_lock_end_write(&lock);
        else
            fair_lock_end_read(&lock);
    }
    atomic_fetch_add(&finished, 1);
}

static void nobody_sleeps_for_ever(void **state) {
    Thread threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        thread_start(&threads[i], "turns", 0, take_turns, (void *)(i + 1));
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    assert_int_equal(atomic_load(&lock.state), 0);
    assert_null(lock.readers);
    assert_null(lock.writers);
}

/* Readers overlap all the time: without an order of coming the writer would wait until they have enough. */
static _Atomic bool enough;
static void read_on(void *data) {
    while (!enough) {
        fair_lock_read(&lock, NULL);
        sched_yield();
        fair_lock_end_read(&lock);
    }
}
static void write_on(void *data) {
    while (!enough) {
        fair_lock_write(&lock, NULL);
        fair_lock_end_write(&lock);
    }
}

static void a_writer_comes_in_among(void (*others)(void *)) {
    Thread threads[THREADS];
    enough = false;
    for (unsigned i = 0; i < THREADS; i++)
        thread_start(&threads[i], "others", 0, others, NULL);
    for (unsigned turn = 0; turn < TURNS / 10; turn++) {
        fair_lock_write(&lock, NULL);
        shared[0]++;
        fair_lock_end_write(&lock);
        fair_lock_read(&lock, NULL);
        fair_lock_end_read(&lock);
        if (turn % 50 == 0)
            usleep(100);
    }
    enough = true;
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    assert_int_equal(atomic_load(&lock.state), 0);
}
static void a_writer_comes_in_among_readers(void **state) { a_writer_comes_in_among(read_on); }
static void a_writer_comes_in_among_writers(void **state) { a_writer_comes_in_among(write_on); }

/* Plain steps and atomic ones mean the same; what was taken while alone is let go of with others at the lock. */
static void who_was_alone_lets_others_in(void **state) {
    for (int i = 0; i < 100; i++) {
        Thread writer;
        fair_lock_set_alone(true);
        fair_lock_read(&lock, NULL);
        assert_true(fair_lock_try_read(&lock));
        assert_false(fair_lock_try_write(&lock));
        fair_lock_end_read(&lock);
        assert_int_equal(atomic_load(&lock.state), FAIR_READER);
        fair_lock_set_alone(false);
        events = 0;
        thread_start(&writer, "writer", 0, write_once, NULL);
        wait_for_bit(FAIR_QUEUE);
        assert_int_equal(events, 0);
        fair_lock_end_read(&lock);
        thread_join(&writer);
        assert_int_equal(events, 1);
        fair_lock_set_alone(true);
        fair_lock_write(&lock, NULL);
        assert_false(fair_lock_try_read(&lock));
        fair_lock_set_alone(false);
        thread_start(&writer, "writer", 0, write_once, NULL);
        wait_for_bit(FAIR_QUEUE);
        fair_lock_end_write(&lock);
        thread_join(&writer);
        assert_int_equal(events, 2);
        assert_int_equal(atomic_load(&lock.state), 0);
    }
}

UNIT_TESTS(unit(who_was_alone_lets_others_in), unit(readers_come_together), unit(a_waiting_writer_is_not_passed),
           unit(waiting_readers_come_before_the_next_writer), unit(nobody_sleeps_for_ever),
           unit(a_writer_comes_in_among_readers), unit(a_writer_comes_in_among_writers))
