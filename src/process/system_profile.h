/*
 * erlang:system_profile/0,2: processes, ports and schedulers become active and inactive (process/system_watcher.h).
 *
 * A process is told to be active when a scheduler first runs it after it had nothing to do, and inactive when it waits,
 * is suspended or has ended; its time in the run queue before is not counted. A port is so from the beginning to the
 * end of each thing that it does.
 * Source: erlang(3) system_profile/2; the order of what it answers is OTP 25's.
 */
#ifndef VIV_PROCESS_SYSTEM_PROFILE_H
#define VIV_PROCESS_SYSTEM_PROFILE_H

#include "process/time_stamp.h"
#include "process/system_watcher.h"

typedef struct {
    SystemWatcher watcher; /* must be first */
    uint32_t serial; /* another one each time: system_profile_next_serial */
    bool exclusive, scheduler, runnable_procs, runnable_ports;
    StampKind stamp; /* STAMP_WALL_CLOCK: what `timestamp` asks for at the time */
} SystemProfile;
extern SystemWatcherPlace the_system_profile;
static inline bool system_profile_is_set(void) {
    return atomic_load_explicit(&the_system_profile, memory_order_relaxed) != NULL;
}
/* Never 0. Any thread. */
uint32_t system_profile_next_serial(void);

void system_profile_process_slow(Process *p, bool active);
static inline void system_profile_process(Process *p, bool active) {
    if (unlikely(system_profile_is_set()))
        system_profile_process_slow(p, active);
}
/* By the thread that runs the port. */
void system_profile_port_slow(Process *port, bool active);
static inline void system_profile_port(Process *port, bool active) {
    if (unlikely(system_profile_is_set()))
        system_profile_port_slow(port, active);
}
/* The calling scheduler goes to sleep, or has woken. While it may look at shared structures. */
void system_profile_scheduler_slow(unsigned number, bool active);
static inline void system_profile_scheduler(unsigned number, bool active) {
    if (unlikely(system_profile_is_set()))
        system_profile_scheduler_slow(number, active);
}

#endif
