/*
 * The three clocks of the machine, in nanoseconds. What Erlang calls monotonic and system time, with its offset and
 * units, is made from them above. No locks, no allocation, from any thread.
 */
#ifndef VIV_SYS_CLOCK_H
#define VIV_SYS_CLOCK_H

#include <stdint.h>

#define NANOSECONDS_PER_SECOND INT64_C(1000000000)
#define NANOSECONDS_PER_MILLISECOND INT64_C(1000000)

int64_t clock_monotonic(void);  /* never goes back; counts from an arbitrary point */
int64_t clock_coarse(void);     /* the same clock, of some milliseconds ago at most: cheaper */
int64_t clock_real(void);       /* since 1970-01-01 00:00 UTC; may be set back and forth */
int64_t clock_cpu(void);        /* used by all threads of this program */
int64_t clock_thread_cpu(void); /* used by the calling thread */

#endif
