/*
 * How long a port is at what its driver has asked for (a timer, a descriptor): erlang:system_monitor/2, long_schedule.
 * By the thread that runs the port, around the callback.
 */
#ifndef VIV_PORT_WORK_H
#define VIV_PORT_WORK_H

#include "port/port.h"
#include "process/system_monitor.h"
#include "sys/clock.h"

/* 0: nobody wants to know. */
static inline int64_t port_work_begin(void) { return unlikely(system_monitor_is_set()) ? clock_monotonic() : 0; }

static inline void port_work_end(Port *port, Term operation, int64_t begun) {
    if (unlikely(begun != 0))
        system_monitor_port_ran(&port->actor, operation, clock_monotonic() - begun);
}

#endif
