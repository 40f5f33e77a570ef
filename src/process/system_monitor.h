/*
 * erlang:system_monitor/0,1,2 and system_profile/0,2: one process each that hears of certain events of all others.
 *
 * What is wanted is one pointer, NULL when nobody watches, to settings that never change: setting is one exchange, and
 * the settings before are freed after thread progress. So nobody is stopped, and a place where something may be told
 * costs a load and a test. Events are told by the thread that runs the process, with no lock held, as messages of the
 * runtime; never about the one that is told. When that one has ended, the settings go with the next event, or when
 * somebody asks.
 *
 * A process is told to be active when a scheduler first runs it after it had nothing to do, and inactive when it waits
 * or has ended; its time in the run queue before is not counted.
 *
 * Source: erlang(3) system_monitor/2, system_profile/2; the order of what they answer is OTP 25's and OTP 27's.
 */
#ifndef VIV_PROCESS_SYSTEM_MONITOR_H
#define VIV_PROCESS_SYSTEM_MONITOR_H

#include "process/process.h"

typedef struct SystemMonitor {
    ProgressNode progress;
    Term pid;
    int64_t long_gc, long_schedule;   /* milliseconds; 0: not wanted */
    uint64_t large_heap;              /* words; 0: not wanted */
    uint64_t queue_leaves, queue_is_long; /* messages; the latter 0: not wanted */
    bool busy_port, busy_dist_port;   /* of ports, of which there are none */
} SystemMonitor;
extern _Atomic(SystemMonitor *) the_system_monitor;
static inline const SystemMonitor *system_monitor(void) {
    return atomic_load_explicit(&the_system_monitor, memory_order_acquire);
}
/* Takes `m` (NULL: nobody) over. The one before is good until the caller's next quiescent point; NULL when there was
 * none, or its process has ended. */
const SystemMonitor *system_monitor_set(SystemMonitor *m);
const SystemMonitor *system_monitor_get(void);

/* A collection that took `nanoseconds` is over. */
void system_monitor_collected(Process *p, int64_t nanoseconds);
/* p ran from a code address (NULL: none yet) until now. */
void system_monitor_ran(Process *p, const Word *in, int64_t nanoseconds);
/* A message has come, or left: p's queue may have become long, or short. */
void system_monitor_queue(Process *p);

typedef enum { PROFILE_TIMESTAMP, PROFILE_MONOTONIC, PROFILE_STRICT_MONOTONIC } ProfileStamp;
typedef struct SystemProfile {
    ProgressNode progress;
    Term pid;
    uint32_t serial; /* not 0, another one each time: set by system_profile_set */
    bool exclusive, scheduler, runnable_procs, runnable_ports;
    ProfileStamp stamp;
} SystemProfile;
extern _Atomic(SystemProfile *) the_system_profile;
const SystemProfile *system_profile_set(SystemProfile *profile);
const SystemProfile *system_profile_get(void);

void system_profile_process_slow(Process *p, bool active);
static inline void system_profile_process(Process *p, bool active) {
    if (unlikely(atomic_load_explicit(&the_system_profile, memory_order_relaxed) != NULL))
        system_profile_process_slow(p, active);
}
/* The calling scheduler goes to sleep, or has woken. While it may look at shared structures. */
void system_profile_scheduler_slow(unsigned number, bool active);
static inline void system_profile_scheduler(unsigned number, bool active) {
    if (unlikely(atomic_load_explicit(&the_system_profile, memory_order_relaxed) != NULL))
        system_profile_scheduler_slow(number, active);
}

#endif
