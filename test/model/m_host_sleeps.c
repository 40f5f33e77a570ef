/*
 * A host that sleeps, and guests who call it: what is due when everybody is offline is run, although the call comes
 * when the host has gone offline and has not yet forgotten earlier ones. `sleep` stands for that of sched/scheduler.c.
 */
#include "sys/event.c"
#include "sys/thread.c"

#include "base/thread_progress.c"
#include "model.h"

static SysEvent event;
static ProgressNode node;
static int content; /* plain: what the callback finds */
static _Atomic bool has_run;

static void note(ProgressNode *n) {
    model_check(content == 1);
    model_check(!self.is_guest && self.slot != NULL);
    atomic_store(&has_run, true);
}

static void call(void) { event_wake(&event); }

static void setup(void) { thread_progress_call_host = call; }

/* It may have run when the host went offline: then nothing is left to wait for. */
static bool goes_on(void) { return thread_progress_is_due() || atomic_load(&has_run); }

static void sleep_once(void) {
    thread_progress_offline();
    event_reset(&event);
    event_wait(&event, goes_on() ? 0 : -1);
    thread_progress_online();
}

static void host(void) {
    thread_progress_register();
    while (!atomic_load(&has_run)) {
        thread_progress_quiescent();
        sleep_once();
    }
    thread_progress_unregister();
}

static void hand_in(void) {
    content = 1;
    node.run = note;
    thread_progress_later(&node);
}

static void guest(void) {
    thread_progress_be_guest();
    thread_progress_register();
    hand_in();
    thread_progress_unregister();
}

static void outsider(void) { hand_in(); }

/* Keeps what is handed in waiting for a while. */
static void other_guest(void) {
    thread_progress_be_guest();
    thread_progress_register();
    thread_progress_unregister();
}

#define CASE(the_name, some, all, ...)                                                                                 \
    {.name = the_name, .setup = setup, .threads = {host, __VA_ARGS__}, .bounds = some, .deep_bounds = all}
#define BOUNDS(preemptions, stale) {preemptions, stale}

MODEL(CASE("a guest hands in", BOUNDS(2, 2), MODEL_ALL, guest),
      CASE("one that is not registered hands in", BOUNDS(2, 2), MODEL_ALL, outsider),
      CASE("a guest hands in while another looks", BOUNDS(1, 1), BOUNDS(2, 1), guest, other_guest))
