/*
 * In which order schedulers get the processors: the types of erl(1), `+sbt`.
 *
 * The levels are numbered anew first, as they come in the order of the topology, from 0 within what they are in: so
 * that the second core of each processor is the second one, whatever it is called. The types that keep nodes together
 * count nodes alone, those within processors among the others. Then the places are sorted by some levels before others.
 * Pure: no state, no locks. Sources: erl(1) for what a type is for; what OTP 25 binds where two orders would do.
 */
#ifndef VIV_SCHED_BIND_ORDER_H
#define VIV_SCHED_BIND_ORDER_H

#include "sys/cpu_topology.h"

typedef enum {
    BIND_UNBOUND,
    BIND_NO_SPREAD,
    BIND_THREAD_SPREAD,
    BIND_PROCESSOR_SPREAD,
    BIND_SPREAD,
    BIND_NO_NODE_THREAD_SPREAD,
    BIND_NO_NODE_PROCESSOR_SPREAD,
    BIND_THREAD_NO_NODE_PROCESSOR_SPREAD,
    BIND_TYPE_COUNT,
    BIND_DEFAULT = BIND_THREAD_NO_NODE_PROCESSOR_SPREAD
} BindType;

/* `places` are sorted as a topology is, and then by the type, which is not BIND_UNBOUND; their levels are the new
 * numbers. */
void bind_order_sort(CpuPlace *places, size_t count, BindType type);

#endif
