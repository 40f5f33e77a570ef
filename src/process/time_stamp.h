/*
 * Time stamps in messages of the runtime: trace, sequential trace, profile. Source: erlang(3) trace/3, seq_trace(3).
 */
#ifndef VIV_PROCESS_TIME_STAMP_H
#define VIV_PROCESS_TIME_STAMP_H

#include "term/area.h"

typedef enum { STAMP_WALL_CLOCK, STAMP_MONOTONIC, STAMP_STRICT_MONOTONIC } StampKind;

/* What one takes at most: a triple; or a pair of integers beyond the small ones. */
#define STAMP_WORDS 7

/* {MegaSeconds, Seconds, MicroSeconds} */
Term stamp_triple(Area *area, int64_t microseconds);
/* Now: erlang:now/0's triple, the monotonic time, or that with a unique integer. */
Term stamp_now(Area *area, StampKind kind);

#endif
