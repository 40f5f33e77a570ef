/*
 * What is slow or large in any process, told to who asked by erlang:system_monitor/2 (process/system_watcher.h), and to
 * the tracers of sessions by trace:system/3. Each has a place; that of erlang:system_monitor is always there.
 *
 * Places are read without a lock, until the reader's next quiescent point. Whose queue is long, as a place was told, is
 * noted with the process: its LongQueues are its thread's, and those of places that are no more go with the next look.
 * Source: erlang(3) system_monitor/2, trace(3) of OTP 28; the order of what is answered is OTP 25's and OTP 27's.
 */
#ifndef VIV_PROCESS_SYSTEM_MONITOR_H
#define VIV_PROCESS_SYSTEM_MONITOR_H

#include "process/system_watcher.h"

typedef struct {
    SystemWatcher watcher; /* must be first */
    uint64_t long_gc, long_schedule;  /* milliseconds; 0: not wanted */
    uint64_t large_heap;              /* words; 0: not wanted */
    uint64_t queue_leaves, queue_is_long; /* messages; the latter 0: not wanted */
    bool busy_port, busy_dist_port;
} SystemMonitor;

typedef struct SystemMonitorPlace {
    SystemWatcherPlace watcher;
    _Atomic(struct SystemMonitorPlace *) next;
    uint64_t serial; /* never used again */
    ProgressNode progress;
} SystemMonitorPlace;
extern SystemMonitorPlace the_system_monitor;
static inline bool system_monitor_is_set(void) {
    return atomic_load_explicit(&the_system_monitor.watcher, memory_order_relaxed) != NULL ||
           atomic_load_explicit(&the_system_monitor.next, memory_order_relaxed) != NULL;
}

/* One more, where nothing is wanted yet; and it ends: no event that begins is told there. Any thread. */
SystemMonitorPlace *system_monitor_place_create(void);
void system_monitor_place_end(SystemMonitorPlace *place);

/* A collection that took `nanoseconds` is over. */
void system_monitor_collected(Process *p, int64_t nanoseconds);
/* p ran from a code address (NULL: none yet) until now. */
void system_monitor_ran(Process *p, const Word *in, int64_t nanoseconds);
/* A port did what `operation` names (timeout, input, output) until now. By its thread. */
void system_monitor_port_ran(const Process *port, Term operation, int64_t nanoseconds);
/* p waits for a port that is busy; for a connection to another node, which goes through one. */
void system_monitor_busy_port_slow(const Process *p, Term port, bool is_of_node);
static inline void system_monitor_busy_port(const Process *p, Term port) {
    if (unlikely(system_monitor_is_set()))
        system_monitor_busy_port_slow(p, port, false);
}
static inline void system_monitor_busy_dist_port(const Process *p, Term port) {
    if (unlikely(system_monitor_is_set()))
        system_monitor_busy_port_slow(p, port, true);
}
/* A message has come, or left: p's queue may have become long, or short. */
void system_monitor_queue(Process *p);
/* p goes. */
void system_monitor_forget(Process *p);

#endif
