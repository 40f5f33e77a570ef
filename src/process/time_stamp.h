/*
 * Time stamps in messages of the runtime: trace, sequential trace, profile. Source: erlang(3) trace/3, seq_trace(3);
 * answers of OTP 25.
 *
 * What a flag `timestamp` asks for is the time of day, or the processor's time while somebody wants that of the whole
 * node: erlang:trace(all, true, [cpu_timestamp]) is no flag of processes but turns this one switch. It is one word that
 * anyone may set; who makes a stamp reads it as it goes.
 */
#ifndef VIV_PROCESS_TIME_STAMP_H
#define VIV_PROCESS_TIME_STAMP_H

#include <stdatomic.h>

#include "term/area.h"

typedef enum { STAMP_WALL_CLOCK, STAMP_CPU, STAMP_MONOTONIC, STAMP_STRICT_MONOTONIC, STAMP_NONE } StampKind;

/* What one takes at most: a triple; or a pair of integers beyond the small ones. */
#define STAMP_WORDS 7

extern _Atomic bool stamps_are_cpu_time;
/* What `timestamp` asks for now. */
static inline StampKind stamp_of_timestamp(void) {
    return atomic_load_explicit(&stamps_are_cpu_time, memory_order_relaxed) ? STAMP_CPU : STAMP_WALL_CLOCK;
}
/* {MegaSeconds, Seconds, MicroSeconds} */
Term stamp_triple(Area *area, int64_t microseconds);
/* Now: erlang:now/0's triple, the processor's time as one, the monotonic time, or that with a unique integer. Not
 * STAMP_NONE. */
Term stamp_now(Area *area, StampKind kind);
/* As tracer modules are told the kind (erl_tracer(3)); NON_VALUE of STAMP_NONE. */
Term stamp_name(StampKind kind);
/* STAMP_NONE: it names no kind. */
StampKind stamp_named(Term name);

#endif
