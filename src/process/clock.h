/*
 * Erlang's time: monotonic time, and system time, which is that and an offset. In nanoseconds; timers count
 * milliseconds. Any thread. Source: ERTS User's Guide "Time and Time Correction in Erlang"; what OTP 25 and 27 answer
 * while the system's clock is set.
 *
 * When that is set, system time follows. How is chosen at the start (+C). Where the offset is *final*, monotonic time
 * is by 1% faster or slower until system time is right again. Where it is *volatile* (multi_time_warp), the offset
 * changes. Where it is *preliminary* (single_time_warp), nothing happens until it is said to be final: then it changes
 * once. Somebody has to look (clock_look) from time to time: until then nothing is noticed.
 *
 * Monotonic time is made of the system's monotonic clock and a Base: from then on it has run at one rate. Bases change
 * rarely, and who reads one reads the clock before he knows that it was the right one, so that no time is earlier than
 * one that anybody has read before. Without correction (+c false) it is made of the system's own time instead, and only
 * never goes back; that is read under a lock.
 */
#ifndef VIV_PROCESS_CLOCK_H
#define VIV_PROCESS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { NO_TIME_WARP, SINGLE_TIME_WARP, MULTI_TIME_WARP } TimeWarp;
typedef enum { OFFSET_FINAL, OFFSET_PRELIMINARY, OFFSET_VOLATILE } OffsetState;

/* Before clock_init; else NO_TIME_WARP, with correction. */
void clock_choose(TimeWarp warp, bool corrects);
/* Before any process is made. */
void clock_init(void);

TimeWarp clock_warp(void);
bool clock_corrects(void);
OffsetState clock_offset_state(void);

int64_t monotonic_time(void);
int64_t time_offset(void); /* monotonic + offset = system time */
int64_t system_time(void);
int64_t now_microseconds(void); /* system time, but later at every call than at all before it: erlang(3) now/0 */
#define MONOTONIC_START (-((int64_t)1 << 59) + 1)
/* In milliseconds: system_info(end_time), as on the stock runtime; no timer is set beyond. */
#define MONOTONIC_END_MS INT64_C(8646911283000)
/* The same moment as clock_monotonic (sys/clock.h) tells it, as far as is known now. */
int64_t clock_of_monotonic_time(int64_t nanoseconds);

/* Compares with the system's time, and does what that asks for. *wait: after so many nanoseconds it should be called
 * again. True: the offset has changed. */
bool clock_look(int64_t *wait);
/* What it does where the offset is final: monotonic time is to gain so much, and begins to. Gives the time to wait
 * until it has, at most that between two looks. */
int64_t clock_correct(int64_t by);
/* The offset is final from now on, if it was preliminary: gives the state before. */
OffsetState clock_finalize(void);

/* Floor and ceiling of division by a million, for negative values too. */
static inline int64_t milliseconds_down(int64_t ns) { return ns >= 0 ? ns / 1000000 : -((-ns + 999999) / 1000000); }
static inline int64_t monotonic_milliseconds_up(int64_t ns) { return -milliseconds_down(-ns); }

#endif
