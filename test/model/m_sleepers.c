/*
 * Schedulers that sleep, and their queues: whoever adds a process to a queue knows that some scheduler comes to run it,
 * without waking one that is awake; and one that stands behind another which runs on is taken by an idle scheduler. A
 * wake-up that is lost leaves everybody asleep. `run` and `look_for_work` stand for those of sched/scheduler.c.
 */
#include "sys/event.c"
#include "sys/thread.c"

#include "process/run_queue.c"

#include "model.h"

static Process processes[3];
static unsigned runs[3]; /* plain: who runs a process has it for himself */
static _Atomic unsigned left; /* of those that are to run */
static _Atomic bool has_run[3];

static void setup_queues(unsigned queues_wanted, unsigned processes_wanted) {
    run_queues_init(queues_wanted);
    atomic_store(&left, processes_wanted);
    for (int i = 0; i < 3; i++)
        atomic_init(&processes[i].state, STATE_ACTIVE | PRIORITY_NORMAL << STATE_PRIORITY_SHIFT);
}

static void wake(unsigned number) {
    atomic_fetch_or(&processes[number].state, STATE_QUEUED);
    run_queue_add(&processes[number]);
}

static void call_all(void) {
    for (unsigned i = 0; i < run_queue_count(); i++)
        run_queue_call(run_queue_at(i));
}

static void ran(unsigned number) {
    runs[number]++;
    atomic_store(&has_run[number], true);
    if (atomic_fetch_sub(&left, 1) == 1)
        call_all();
}

static void (*code[3])(void);

static void run(Process *p) {
    unsigned number = (unsigned)(p - processes);
    process_enter(p);
    if (code[number])
        code[number]();
    ran(number);
}

/* What it looks at when no call is missed any more. */
static int64_t sleep_until(unsigned index) { return atomic_load(&left) == 0 ? 0 : -1; }

static void look_for_work(RunQueue *rq) {
    if (run_queue_has_work(rq))
        return;
    bool found = run_queue_steal(rq, false);
    if (!found && run_queue_sleep(rq, sleep_until, event_wait))
        found = run_queue_has_work(rq) || run_queue_steal(rq, true);
    if (found)
        run_queue_call_next();
}

static void serve(unsigned index) {
    RunQueue *rq = run_queue_at(index);
    run_queue_set_self(rq);
    while (atomic_load(&left) > 0) {
        Process *p = run_queue_take(rq);
        if (p)
            run(p);
        else
            look_for_work(rq);
    }
}
static void scheduler_0(void) { serve(0); }
static void scheduler_1(void) { serve(1); }

static void all_ran_once(void) {
    for (int i = 0; i < 3; i++)
        model_check(runs[i] == (atomic_load(&has_run[i]) ? 1 : 0));
    model_check(atomic_load(&left) == 0);
}

/* From another thread: a scheduler that is about to sleep, or sleeps, comes. */
static void setup_one(void) { setup_queues(1, 1); }
static void setup_two(void) { setup_queues(1, 2); }
static void waker_0(void) { wake(0); }
static void waker_1(void) { wake(1); }

/* The first goes on until one of those that it has woken has run: another scheduler must come for it, where a crowd has
 * stood before. */
static void wakes_two(void) {
    wake(1);
    wake(2);
    while (atomic_load(&left) == 3)
        sched_yield();
}
static void setup_thief(void) {
    setup_queues(2, 3);
    code[0] = wakes_two;
    queues[0].crowd = CROWD_CALLS;
    run_queue_here = run_queue_at(0);
    wake(0);
    run_queue_here = NULL;
}

/* The first scheduler runs a computation, and leaves what it adds to another. */
static void setup_computation(void) { setup_queues(2, 1); }
static void computes(void) {
    run_queue_set_self(run_queue_at(0));
    atomic_store_explicit(&queues[0].runs_computation, true, memory_order_relaxed);
    wake(0);
}

/* It has slept before, and wakes, while somebody calls a thief, who has seen that one sleeps and may find none. */
static void setup_caller(void) {
    setup_queues(2, 1);
    atomic_store(&queues[0].is_sleeping, true);
    atomic_store(&sleeping_count, 1);
}
static void wakes_and_computes(void) {
    woke(run_queue_at(0));
    computes();
}
static void calls_thief(void) { call_thief(); }

/* The second queue is closed while somebody adds to it. */
static void setup_closing(void) {
    setup_queues(2, 2);
    atomic_store(&processes[1].home_queue, 1);
    code[0] = NULL;
}
static void closes(void) { run_queues_set_open(1); }
static void scheduler_0_closes(void) {
    run_queue_set_self(run_queue_at(0));
    closes();
    wake(0);
    scheduler_0();
}

/* The second queue opens while somebody adds to it what is bound to it. */
static void setup_opening(void) {
    setup_queues(2, 1);
    processes[0].bound_queue = 2;
    run_queues_set_open(1);
}
static void opens(void) { run_queues_set_open(2); }

MODEL({.name = "one is woken from another thread",
       .setup = setup_one,
       .threads = {scheduler_0, waker_0},
       .end = all_ran_once,
       .bounds = MODEL_ALL,
       .deep_bounds = MODEL_ALL},
      {.name = "two are woken from two threads",
       .setup = setup_two,
       .threads = {scheduler_0, waker_0, waker_1},
       .end = all_ran_once,
       .bounds = {2, 1},
       .deep_bounds = {4, 2}},
      {.name = "a thief is called",
       .setup = setup_thief,
       .threads = {scheduler_0, scheduler_1},
       .end = all_ran_once,
       .bounds = {3, 1},
       .deep_bounds = {4, 3}},
      {.name = "one stands behind a computation",
       .setup = setup_computation,
       .threads = {computes, scheduler_1},
       .end = all_ran_once,
       .bounds = {4, 2},
       .deep_bounds = MODEL_ALL},
      {.name = "a thief is called, and nobody sleeps any more, or yet",
       .setup = setup_caller,
       .threads = {wakes_and_computes, scheduler_1, calls_thief},
       .end = all_ran_once,
       .bounds = {3, 0},
       .deep_bounds = {4, 1}},
      {.name = "a queue closes",
       .setup = setup_closing,
       .threads = {scheduler_0_closes, scheduler_1, waker_1},
       .end = all_ran_once,
       .bounds = {2, 1},
       .deep_bounds = {3, 1}},
      {.name = "a queue opens for who is bound to it",
       .setup = setup_opening,
       .threads = {scheduler_1, opens, waker_0},
       .end = all_ran_once,
       .bounds = {2, 1},
       .deep_bounds = {3, 1}})
