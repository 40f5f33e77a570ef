/*
 * Erlang's time: monotonic time, which no correction of the system's clock touches, and system time, which is that and
 * an offset that is found at the start and never changes. In nanoseconds; timers count milliseconds. Any thread.
 * Source: ERTS User's Guide "Time and Time Correction in Erlang", no_time_warp.
 */
#ifndef VIV_PROCESS_CLOCK_H
#define VIV_PROCESS_CLOCK_H

#include <stdint.h>

/* Before any process is made. */
void clock_init(void);

int64_t monotonic_time(void);
int64_t time_offset(void); /* monotonic + offset = system time */
int64_t system_time(void);
int64_t now_microseconds(void); /* system time, but later at every call than at all before it: erlang(3) now/0 */
#define MONOTONIC_START (-((int64_t)1 << 59) + 1)
/* The same moment as clock_monotonic (sys/clock.h) tells it. */
int64_t clock_of_monotonic_time(int64_t nanoseconds);

/* Floor and ceiling of division by a million, for negative values too. */
static inline int64_t milliseconds_down(int64_t ns) { return ns >= 0 ? ns / 1000000 : -((-ns + 999999) / 1000000); }
static inline int64_t monotonic_milliseconds_up(int64_t ns) { return -milliseconds_down(-ns); }

#endif
