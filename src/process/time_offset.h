/*
 * Who monitors the offset of time, and how they hear that it has changed: monitors of type time_offset stand here too,
 * as nobody is watched who would know of them. Any thread that may look pids up. Source: erlang(3) monitor/2.
 */
#ifndef VIV_PROCESS_TIME_OFFSET_H
#define VIV_PROCESS_TIME_OFFSET_H

#include "process/process.h"

/* `alias_pid`: NON_VALUE, or the pid when the monitor's reference is an alias's. By the process's own thread. */
void time_offset_watch(uint64_t key, Term pid, Term alias_pid);
void time_offset_unwatch(uint64_t key);
/* Sends {_, Ref, time_offset, clock_service, Offset} to all of them, as a DOWN that ends nothing. */
void time_offset_tell(void);

#endif
