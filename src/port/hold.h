/*
 * Who keeps the memory of a port. A port that is gone is looked at by those who have found it before, until thread
 * progress; and by drivers' functions on other threads, as long as they run.
 */
#ifndef VIV_PORT_HOLD_H
#define VIV_PORT_HOLD_H

#include "port/port.h"

static inline void port_hold(Port *port) { atomic_fetch_add(&port->holders, 1); }
/* The last frees it, and gives its driver's count back. */
void port_release(Port *port);

#endif
