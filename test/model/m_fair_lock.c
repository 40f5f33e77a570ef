/*
 * The lock of tables: a writer is alone, and sees what all before it did; nobody who waits is forgotten, however
 * readers and writers come and go. That it is fair is for the unit test: here everybody comes once or twice.
 */
#include "base/waiting.c"
#include "sys/thread.c"

#include "ets/fair_lock.c"
#include "sys/event.c"

#include "model.h"

void long_work_round_is_over(void) {}

static FairLock lock;
static int first, second; /* the same while nobody writes */

static void reads(void) {
    fair_lock_read(&lock, NULL);
    model_check(first == second);
    fair_lock_end_read(&lock);
}

static void writes(void) {
    fair_lock_write(&lock, NULL);
    first++;
    second++;
    fair_lock_end_write(&lock);
}

static void writes_twice(void) {
    writes();
    writes();
}
static void reads_and_writes(void) {
    reads();
    writes();
}

static void is_free(void) {
    model_check(lock.state == 0 && lock.readers == NULL && lock.writers == NULL);
    model_check(first == second);
}

#define CASE(the_name, quick, deep, ...)                                                                               \
    {.name = the_name, .threads = {__VA_ARGS__}, .end = is_free, .bounds = quick, .deep_bounds = deep}
#define BOUNDS(preemptions, stale) {preemptions, stale}

MODEL(CASE("two writers", BOUNDS(4, 2), BOUNDS(6, 4), writes_twice, writes_twice),
      CASE("a reader and a writer", BOUNDS(4, 2), BOUNDS(6, 4), reads_and_writes, writes_twice),
      CASE("two readers and a writer", BOUNDS(3, 1), BOUNDS(4, 2), reads, reads, writes),
      CASE("a reader and two writers", BOUNDS(3, 1), BOUNDS(4, 2), reads, writes, writes))
