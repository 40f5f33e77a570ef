/*
 * Drivers monitor processes: monitors as processes have them, but that the driver's callback hears of the end. Source:
 * erl_driver(3) driver_monitor_process; driver_entry(3) process_exit.
 *
 * An ErlDrvMonitor holds the monitor's key. By the thread that runs the port.
 */
#ifndef VIV_PORT_WATCH_H
#define VIV_PORT_WATCH_H

#include "port/port.h"

/* No two that a driver has are the same. */
uint64_t port_watch_key(const ErlDrvMonitor *monitor);

struct Message;
/* A SIGNAL_DOWN has come. */
void port_watch_down(Port *port, struct Message *down);

#endif
