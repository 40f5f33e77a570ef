/*
 * The timer of a driver: each port has one. Source: erl_driver(3) driver_set_timer; driver_entry(3) timeout.
 *
 * port->timer is the one that is set, by the thread that runs the port. The signal of one that was set before, or
 * cancelled when it had fired, comes still, and is known by that it is not this one.
 */
#ifndef VIV_PORT_TIMER_H
#define VIV_PORT_TIMER_H

#include "port/port.h"

void port_timer_cancel(Port *port);

#endif
