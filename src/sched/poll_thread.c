#include "sched/poll_thread.h"

#include "nif/select.h"
#include "sys/fd_poll.h"
#include "sys/thread.h"

#define EVENTS_AT_ONCE 64

static void poll_main(void *unused) {
    FdEvent events[EVENTS_AT_ONCE];
    for (;;) {
        int count = fd_poll_wait(events, EVENTS_AT_ONCE);
        for (int i = 0; i < count; i++)
            nif_select_ready(events[i].key, events[i].events);
    }
}

void poll_thread_start(void) {
    static Thread thread; /* nobody joins it */
    fd_poll_init();
    thread_start(&thread, "poll", 0, poll_main, NULL);
}
