#include "sched/poll_thread.h"

#include "base/thread_progress.h"
#include "nif/select.h"
#include "port/child_end.h"
#include "port/select.h"
#include "process/fd_table.h"
#include "process/fd_wait.h"
#include "sys/fd_poll.h"
#include "sys/thread.h"

#define EVENTS_AT_ONCE 64

static void hand_out(const FdEvent *event) {
    if (child_is_key(event->key))
        child_ready(event->key);
    else if (fd_wait_is_key(event->key))
        fd_wait_ready(event->key);
    else if (fd_kind_of_key(event->key) == FD_OF_PORTS)
        port_select_ready(event->key, event->events);
    else
        nif_select_ready(event->key, event->events);
}

static void poll_main(void *unused) {
    FdEvent events[EVENTS_AT_ONCE];
    thread_progress_be_guest();
    thread_progress_register();
    thread_progress_offline();
    for (;;) {
        int count = fd_poll_wait(events, EVENTS_AT_ONCE);
        for (int i = 0; i < count; i++)
            hand_out(&events[i]);
    }
}

void poll_thread_start(void) {
    static Thread thread; /* nobody joins it */
    fd_poll_init();
    thread_start(&thread, "poll", 0, poll_main, NULL);
}
