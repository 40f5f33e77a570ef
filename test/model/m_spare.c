/*
 * Spare threads: a queue that is given away is served by one thread at a time, and always by one; and a round is run by
 * every thread, also by those that lie down just then. A wake-up that is lost leaves somebody asleep. `serve` and
 * `be_spare` stand for those of sched/scheduler.c. The system gives no threads: SPARE_THREADS_MAX is 0 here.
 */
#include "sys/event.c"
#include "sys/thread.c"

#define lock round_lock
#include "process/thread_round.c"
#undef lock
#include "sched/spare.c"

#include "model.h"

#define THREADS_MAX 3

static RunQueue queues[2];
static unsigned turns[2]; /* plain: of who serves the queue */
static unsigned turns_wanted, members_wanted, rounds_run[THREADS_MAX + 1];
static _Atomic unsigned members_joined, queues_left;
static _Atomic bool is_told; /* that the round is over */
static ThreadRound last_round;

static void join(void) {
    thread_round_join();
    atomic_fetch_add(&members_joined, 1);
    while (atomic_load(&members_joined) < members_wanted)
        sched_yield();
}

static void count_round(ThreadRound *round) { rounds_run[model_self()]++; }
static void all_have_run(ThreadRound *round) {
    for (unsigned i = 1; i <= members_wanted; i++)
        model_check(rounds_run[i] == 1);
    model_check(!atomic_load(&is_told));
    atomic_store(&is_told, true);
}

static void serve_never(void *rq) { model_fail("a thread is started"); }

/* True: it is another's now, or needs nobody any more. */
static bool serve(RunQueue *rq) {
    unsigned *turn = &turns[rq - queues];
    if (++*turn <= turns_wanted)
        return spare_thread_take_over(rq, serve_never);
    if (atomic_fetch_sub(&queues_left, 1) == 1)
        thread_round_begin(&last_round);
    return true;
}

/* Until the last round. */
static void go_on(RunQueue *rq) {
    join();
    while (rounds_run[model_self()] == 0) {
        if (rq != NULL && !serve(rq))
            continue;
        rq = spare_thread_wait();
        if (rq == NULL)
            thread_round_run();
    }
}

static void setup_with(unsigned members, unsigned queues_wanted, unsigned turns_of_each) {
    turns_wanted = turns_of_each;
    members_wanted = members;
    atomic_init(&queues_left, queues_wanted);
    last_round.run = count_round;
    last_round.done = all_have_run;
    thread_round_call = spare_threads_call;
}
static void setup_two(void) { setup_with(2, 1, 2); }
static void setup_three(void) { setup_with(3, 1, 1); }
static void setup_two_queues(void) { setup_with(3, 2, 1); }

static void has_the_first(void) { go_on(&queues[0]); }
static void has_the_second(void) { go_on(&queues[1]); }
static void has_none(void) { go_on(NULL); }
static void calls(void) { spare_threads_call(); } /* about something that is over */

static void all_is_told(void) {
    model_check(atomic_load(&is_told) && sleeping == NULL && rounds == NULL);
    model_check(atomic_load(&queues_left) == 0);
}

MODEL({.name = "a queue is given away",
       .setup = setup_two,
       .threads = {has_the_first, has_none},
       .end = all_is_told,
       .bounds = MODEL_ALL,
       .deep_bounds = MODEL_ALL},
      {.name = "somebody calls meanwhile",
       .setup = setup_two,
       .threads = {has_the_first, has_none, calls},
       .end = all_is_told,
       .bounds = {2, 0},
       .deep_bounds = {2, 1}},
      {.name = "to one of two",
       .setup = setup_three,
       .threads = {has_the_first, has_none, has_none},
       .end = all_is_told,
       .bounds = {2, 0},
       .deep_bounds = {2, 2}},
      {.name = "two are given away, one can be taken",
       .setup = setup_two_queues,
       .threads = {has_the_first, has_the_second, has_none},
       .end = all_is_told,
       .bounds = {1, 0},
       .deep_bounds = {2, 1}})
