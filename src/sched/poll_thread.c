#include "sched/poll_thread.h"

#include <time.h>

#include "base/thread_progress.h"
#include "process/run_queue.h"
#include "sched/poller.h"

#define TICK_NS 1000000

static void tick(void) { nanosleep(&(struct timespec){.tv_nsec = TICK_NS}, NULL); }

/* Nobody has looked for a tick. */
static void look_instead(void) {
    if (!poller_is_vacant() || run_queue_call_sleeper())
        return;
    (void)poller_look();
}

static void poll_main(void *unused) {
    thread_progress_be_guest();
    thread_progress_register();
    thread_progress_offline();
    for (;;) {
        uint32_t looks = poller_looks();
        tick();
        if (looks != poller_looks())
            continue;
        poller_watch_sleep();
        look_instead();
    }
}

void poll_thread_start(void) {
    static Thread thread; /* nobody joins it */
    fd_poll_init();
    thread_start(&thread, "poll", 0, poll_main, NULL);
}
