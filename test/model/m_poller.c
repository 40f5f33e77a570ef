/*
 * Who waits for descriptors: what becomes ready is handed out though the scheduler that waited for it has gone, is in a
 * function of others, or was called just then; and a call reaches who waits. `serve` stands for the loop of
 * sched/scheduler.c, and what is here of sys/fd_poll.h for the kernel.
 */
#include "sys/event.c"
#include "sys/thread.c"

#include "sched/poll_thread.c"
#include "sched/poller.c"

#include "model.h"

#define SCHEDULERS 2
enum { READY = 1, INTERRUPTED = 2 };

static _Atomic uint32_t set; /* what epoll has to tell */
static SysEvent events[SCHEDULERS], ticks;
static _Atomic bool sleeps[SCHEDULERS], is_called, is_over;

static void change(uint32_t what) {
    atomic_fetch_or(&set, what);
    futex_wake(&set);
}

void fd_poll_interrupt(void) { change(INTERRUPTED); }

int fd_poll_wait(FdEvent *found, int most, int64_t deadline) {
    for (;;) {
        uint32_t what = atomic_exchange(&set, 0);
        found[0] = (FdEvent){0};
        if (what != 0 || deadline == 0)
            return what & READY ? 1 : 0;
        (void)futex_wait(&set, 0, deadline);
    }
}

bool child_is_key(uint64_t key) { return false; }
bool fd_wait_is_key(uint64_t key) { return true; }

static void call_all(void) {
    for (int i = 0; i < SCHEDULERS; i++)
        event_wake(&events[i]);
    event_wake(&watch);
}

void fd_wait_ready(uint64_t key) {
    model_check(!atomic_load(&is_over));
    atomic_store(&is_over, true);
    call_all();
}

bool run_queue_call_sleeper(void) {
    for (int i = 0; i < SCHEDULERS; i++) {
        if (atomic_load(&sleeps[i])) {
            event_wake(&events[i]);
            return true;
        }
    }
    return false;
}

static void sleep_once(int i) {
    PollerFound found = {.count = 0};
    event_reset(&events[i]);
    atomic_store(&sleeps[i], true);
    poller_sleep(&events[i], atomic_load(&is_over) ? 0 : -1, &found);
    atomic_store(&sleeps[i], false);
    poller_hand_out(&found);
}

static void serve(int i) {
    while (!atomic_load(&is_over))
        if (!poller_look())
            sleep_once(i);
}
static void scheduler_0(void) { serve(0); }
static void scheduler_1(void) { serve(1); }

/* It looks no more once it was called. */
static void scheduler_with_long_work(void) {
    while (!atomic_load(&is_called) && !atomic_load(&is_over))
        sleep_once(0);
    while (!atomic_load(&is_over))
        sched_yield();
}

static void becomes_ready(void) { change(READY); }

static void calls(void) {
    atomic_store(&is_called, true);
    event_wake(&events[0]);
}

/* It ticks when all others wait, but for the first time. */
static void watches(void) {
    while (!atomic_load(&is_over)) {
        poller_watch_sleep();
        look_instead();
        event_reset(&ticks);
        (void)event_wait(&ticks, model_now() + 1);
    }
}

static void handed_out(void) { model_check(atomic_load(&is_over)); }

MODEL({.name = "two schedulers sleep",
       .threads = {scheduler_0, scheduler_1, becomes_ready},
       .end = handed_out,
       .bounds = {3, 1},
       .deep_bounds = MODEL_ALL},
      {.name = "who waits is called, and has enough to do",
       .threads = {scheduler_with_long_work, calls, becomes_ready, watches},
       .clock_waits = true,
       .end = handed_out,
       .bounds = {2, 1},
       .deep_bounds = {3, 1}},
      {.name = "another one sleeps",
       .threads = {scheduler_with_long_work, scheduler_1, becomes_ready, watches},
       .setup = calls,
       .clock_waits = true,
       .end = handed_out,
       .bounds = {2, 1},
       .deep_bounds = {2, 2}})
