/*
 * Timers: one that is set by any thread, also for a wheel whose scheduler sleeps or is about to, fires in time; one
 * that is cleared either fires or is the clearer's, never both. Where the cases are about being in time it passes only
 * when nobody else can go on: a scheduler that sleeps on past a timer is late then.
 */
#include "sys/event.c"
#include "sys/thread.c"

#include "process/clock.c"
#include "process/run_queue.c"
#include "process/timer.c"
#include "process/wheel.c"

#include "model.h"

#define TICK NANOSECONDS_PER_MILLISECOND

static Timer *timers[2];
static _Atomic unsigned left;
static unsigned fired; /* by the wheel's scheduler */
static Process process;
static Timer *sent; /* to it, where it clears its timer */

/* By the wheel's scheduler, which fires it. A receive's timer is its process's, when that handles the signal. */
bool signal_send(Term pid, Signal *signal) {
    Timer *t = container_of((CallSignal *)signal, Timer, call);
    fired++;
    if (pid == process.pid) {
        sent = t;
        return true;
    }
    model_check(tick_now() == t->item.at);
    mem_free(ALLOC_TIMER, t);
    atomic_fetch_sub(&left, 1);
    return true;
}

static Timer *make(int64_t after) {
    Timer *t = mem_calloc(ALLOC_TIMER, sizeof *t);
    t->calls = true;
    t->item.at = tick_now() + after;
    t->destination = 2;
    return t;
}

static void setup_for(unsigned count, int64_t first, int64_t second) {
    run_queues_init(1);
    clock_init();
    timers_init(1);
    timers[0] = make(first);
    timers[1] = make(second);
    atomic_init(&left, count);
}
static void setup_one(void) { setup_for(1, 5, 5); }
static void setup_far(void) { setup_for(1, 1000, 5); } /* comes down first */
static void setup_two(void) { setup_for(2, 9, 5); }

static int64_t sleep_until(unsigned index) { return atomic_load(&left) == 0 ? 0 : timers_next(index); }

static void serve(void) {
    RunQueue *rq = run_queue_at(0);
    while (atomic_load(&left) > 0) {
        timers_run(0);
        if (atomic_load(&left) > 0)
            run_queue_sleep(rq, sleep_until, event_wait);
    }
}
static void scheduler(void) {
    run_queue_set_self(run_queue_at(0));
    serve();
}
static void scheduler_sets_second(void) {
    run_queue_set_self(run_queue_at(0));
    model_check(timer_start(0, timers[1], NULL));
    serve();
}
static void sets_first(void) { model_check(timer_start(0, timers[0], NULL)); }
static void sets_second(void) { model_check(timer_start(0, timers[1], NULL)); }

/* A receive that has its message just when its time is over, on a thread that was given away: time passes when it
 * likes. */
static void setup_receive(void) {
    setup_one();
    process.pid = 1;
    timers[0]->destination = 1;
}
static void sets_and_clears(void) {
    process.receive_timer = timers[0];
    sets_first();
    receive_timeout_clear(&process);
    atomic_fetch_sub(&left, 1);
    run_queue_call(run_queue_at(0));
}
static void fired_or_cleared(void) {
    model_check(wheels[0].wheel.count == 0);
    if (fired > 0)
        mem_free(ALLOC_TIMER, sent); /* once */
}

static void one_fired(void) { model_check(fired == 1); }
static void both_fired(void) { model_check(fired == 2); }

MODEL({.name = "one is set from another thread",
       .setup = setup_one,
       .threads = {scheduler, sets_first},
       .end = one_fired,
       .clock_waits = true,
       .bounds = MODEL_ALL,
       .deep_bounds = MODEL_ALL},
      {.name = "a late one is set from another thread",
       .setup = setup_far,
       .threads = {scheduler, sets_first},
       .end = one_fired,
       .clock_waits = true,
       .bounds = {3, 2},
       .deep_bounds = MODEL_ALL},
      {.name = "an earlier one is set while the scheduler sleeps until a later one",
       .setup = setup_two,
       .threads = {scheduler, sets_first, sets_second},
       .end = both_fired,
       .clock_waits = true,
       .bounds = {2, 2},
       .deep_bounds = {4, 3}},
      {.name = "the scheduler sets one itself",
       .setup = setup_two,
       .threads = {scheduler_sets_second, sets_first},
       .end = both_fired,
       .clock_waits = true,
       .bounds = {3, 2},
       .deep_bounds = MODEL_ALL},
      {.name = "a receive clears its timer",
       .setup = setup_receive,
       .threads = {scheduler, sets_and_clears},
       .end = fired_or_cleared,
       .bounds = {3, 2},
       .deep_bounds = MODEL_ALL})
