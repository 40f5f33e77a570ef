/* Rounds that several threads begin at once, while the members sleep and wake: each member runs each round once, `done`
 * comes after all of them and sees what they wrote, with no lock of their own (ThreadSanitizer). */
#include "process/thread_round.h"

#include <stdlib.h>

#include "sys/clock.h"
#include "sys/thread.h"
#include "unit.h"

#define MEMBERS 4
#define BEGINNERS 3
#define ROUNDS 3000 /* by each */

typedef struct {
    ThreadRound round;
    int runs[MEMBERS]; /* each written by its member */
} Counted;

static SysEvent events[MEMBERS];
static _Atomic int joined, done_well, done_badly;
static _Atomic bool over;
static __thread int number;

static void run(ThreadRound *round) { container_of(round, Counted, round)->runs[number]++; }

static void done(ThreadRound *round) {
    Counted *c = container_of(round, Counted, round);
    bool good = true;
    for (int i = 0; i < MEMBERS; i++)
        good = good && c->runs[i] == 1;
    free(c);
    atomic_fetch_add(good ? &done_well : &done_badly, 1);
}

static void call_all(void) {
    for (int i = 0; i < MEMBERS; i++)
        event_wake(&events[i]);
}

static void member(void *data) {
    number = (int)(uintptr_t)data;
    thread_round_join();
    atomic_fetch_add(&joined, 1);
    while (!atomic_load(&over)) {
        event_reset(&events[number]);
        if (!thread_round_is_waiting() && !atomic_load(&over))
            event_wait(&events[number], -1);
        thread_round_run();
    }
}

static void beginner(void *data) {
    for (int i = 0; i < ROUNDS; i++) {
        Counted *c = calloc(1, sizeof *c);
        c->round.run = run;
        c->round.done = done;
        thread_round_begin(&c->round);
    }
}

static void without_members_it_is_done_at_once(void **state) {
    Counted *c = calloc(1, sizeof *c);
    for (int i = 0; i < MEMBERS; i++)
        c->runs[i] = 1;
    c->round.done = done;
    thread_round_begin(&c->round);
    assert_int_equal(atomic_exchange(&done_well, 0), 1);
}

static void each_member_runs_each_round_once(void **state) {
    Thread members[MEMBERS], beginners[BEGINNERS];
    thread_round_call = call_all;
    for (uintptr_t i = 0; i < MEMBERS; i++) {
        event_init(&events[i]);
        thread_start(&members[i], "member", 0, member, (void *)i);
    }
    while (atomic_load(&joined) < MEMBERS)
        ;
    for (int i = 0; i < BEGINNERS; i++)
        thread_start(&beginners[i], "beginner", 0, beginner, NULL);
    for (int i = 0; i < BEGINNERS; i++)
        thread_join(&beginners[i]);
    for (int64_t until = clock_monotonic() + 20000000000; clock_monotonic() < until;)
        if (atomic_load(&done_well) + atomic_load(&done_badly) == BEGINNERS * ROUNDS)
            break;
    atomic_store(&over, true);
    call_all();
    for (int i = 0; i < MEMBERS; i++)
        thread_join(&members[i]);
    assert_int_equal(atomic_load(&done_badly), 0);
    assert_int_equal(atomic_load(&done_well), BEGINNERS * ROUNDS);
}

UNIT_TESTS(unit(without_members_it_is_done_at_once), unit(each_member_runs_each_round_once))
