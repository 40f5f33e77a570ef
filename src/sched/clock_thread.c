#include "sched/clock_thread.h"

#include <time.h>

#include "base/thread_progress.h"
#include "process/clock.h"
#include "process/time_offset.h"
#include "sys/clock.h"
#include "sys/thread.h"

static void sleep_for(int64_t nanoseconds) {
    struct timespec time = {.tv_sec = nanoseconds / NANOSECONDS_PER_SECOND,
                            .tv_nsec = nanoseconds % NANOSECONDS_PER_SECOND};
    nanosleep(&time, NULL);
}

static void clock_main(void *unused) {
    thread_progress_register();
    thread_progress_offline();
    for (;;) {
        int64_t wait;
        thread_progress_enter();
        if (clock_look(&wait))
            time_offset_tell();
        thread_progress_leave();
        sleep_for(wait);
    }
}

void clock_thread_start(void) {
    static Thread thread; /* nobody joins it */
    thread_start(&thread, "clock", 0, clock_main, NULL);
}
