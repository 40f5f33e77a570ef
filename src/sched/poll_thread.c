#include "sched/poll_thread.h"

#include <time.h>

#include "base/thread_progress.h"
#include "process/run_queue.h"
#include "sched/poller.h"

#define TICK_NS 1000000
#define TICK_MOST_NS (8 * TICK_NS)

static void sleep_for(long nanoseconds) { nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL); }

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
    for (long tick = TICK_NS;;) {
        uint32_t looks = poller_looks();
        sleep_for(tick);
        if (looks != poller_looks()) {
            tick = tick < TICK_MOST_NS ? 2 * tick : tick;
            continue;
        }
        poller_watch_sleep();
        look_instead();
        tick = TICK_NS;
    }
}

void poll_thread_start(void) {
    static Thread thread; /* nobody joins it */
    fd_poll_init();
    thread_start(&thread, "poll", 0, poll_main, NULL);
}
