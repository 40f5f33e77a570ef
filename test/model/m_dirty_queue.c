/*
 * Dirty threads that say when they will look into their queue, and who adds to it: whoever adds a process knows that
 * some thread comes to take it, without waking one where another is on its way. A wake-up that is lost leaves all
 * asleep. `serve` stands for dirty_main of sched/dirty.c.
 */
#include "sys/thread.c"

#include "process/dirty_queue.c"

#include "model.h"

#define JOBS 3

static Process jobs[JOBS], ends[2];
static unsigned rounds[JOBS]; /* plain: who has taken a process has it for himself */
static _Atomic unsigned left;

static void setup(unsigned jobs_wanted) {
    dirty_queues_init(2, 2);
    atomic_store(&left, jobs_wanted);
}

/* It needs a dirty thread again at once, so many times. */
static bool goes_on(unsigned number) { return number == 0 && rounds[number] < 2; }

static void run(unsigned number) {
    rounds[number]++;
    dirty_queue_comes_back(true);
    if (goes_on(number)) {
        dirty_queue_add(&jobs[number], true);
    } else if (atomic_fetch_sub(&left, 1) == 1) {
        dirty_queue_set_online(true, 2);
        dirty_queue_add(&ends[0], true);
        dirty_queue_add(&ends[1], true);
    }
}

static void serve(unsigned number) {
    dirty_queue_comes_back(true);
    for (;;) {
        Process *p = dirty_queue_take(true, number);
        if (p >= ends && p < ends + 2)
            return;
        run((unsigned)(p - jobs));
    }
}
static void dirty_0(void) { serve(0); }
static void dirty_1(void) { serve(1); }

static void add_first(void) { dirty_queue_add(&jobs[0], true); }
static void add_both(void) {
    add_first();
    dirty_queue_add(&jobs[1], true);
}

static void setup_one(void) { setup(1); }
static void setup_two(void) { setup(2); }
static void all_ran(void) {
    model_check(atomic_load(&left) == 0);
    model_check(dirty_queue_length(true) == 0);
    model_check(atomic_load(&queues[1].coming) == 0);
}

/* The second thread is offline until all is done, and may have been on its way. */
static void one_goes_offline(void) {
    dirty_queue_set_online(true, 1);
    add_both();
}

MODEL({.name = "one is taken again and again",
       .setup = setup_one,
       .threads = {dirty_0, dirty_1, add_first},
       .end = all_ran,
       .bounds = {2, 1},
       .deep_bounds = {4, 2}},
      {.name = "two are taken",
       .setup = setup_two,
       .threads = {dirty_0, dirty_1, add_both},
       .end = all_ran,
       .bounds = {2, 1},
       .deep_bounds = {4, 2}},
      {.name = "a thread goes offline",
       .setup = setup_two,
       .threads = {dirty_0, dirty_1, one_goes_offline},
       .end = all_ran,
       .bounds = {2, 1},
       .deep_bounds = {3, 1}})
