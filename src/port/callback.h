/*
 * Around each callback of a driver: its lock, and what the callback has decided about the port's end. By the thread
 * that runs the port.
 */
#ifndef VIV_PORT_CALLBACK_H
#define VIV_PORT_CALLBACK_H

#include "port/closing.h"

static inline void port_callback_begin(Port *port) { driver_enter(port->driver); }
static inline void port_callback_end(Port *port) {
    driver_leave(port->driver);
    if (unlikely(is_value(port->close_reason)))
        port_close(port, port->close_reason, port->close_flushes);
}

#endif
