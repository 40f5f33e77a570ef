/*
 * erlang:system_monitor/0,1,2: what is slow or large in any process (process/system_watcher.h).
 * Source: erlang(3) system_monitor/2; the order of what it answers is OTP 25's and OTP 27's.
 */
#ifndef VIV_PROCESS_SYSTEM_MONITOR_H
#define VIV_PROCESS_SYSTEM_MONITOR_H

#include "process/system_watcher.h"

typedef struct {
    SystemWatcher watcher; /* must be first */
    uint64_t long_gc, long_schedule;  /* milliseconds; 0: not wanted */
    uint64_t large_heap;              /* words; 0: not wanted */
    uint64_t queue_leaves, queue_is_long; /* messages; the latter 0: not wanted */
    bool busy_port, busy_dist_port;   /* of ports, of which there are none */
} SystemMonitor;
extern SystemWatcherPlace the_system_monitor;
static inline bool system_monitor_is_set(void) {
    return atomic_load_explicit(&the_system_monitor, memory_order_relaxed) != NULL;
}

/* A collection that took `nanoseconds` is over. */
void system_monitor_collected(Process *p, int64_t nanoseconds);
/* p ran from a code address (NULL: none yet) until now. */
void system_monitor_ran(Process *p, const Word *in, int64_t nanoseconds);
/* A message has come, or left: p's queue may have become long, or short. */
void system_monitor_queue(Process *p);

#endif
