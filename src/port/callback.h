/*
 * Around each callback of a driver: its lock, whose port it is, what the callback has decided about the port's end, and
 * the ports that it has created, which this thread runs until the callback is over. By the thread that runs the port.
 */
#ifndef VIV_PORT_CALLBACK_H
#define VIV_PORT_CALLBACK_H

#include "port/closing.h"
#include "port/halting.h"

/* The port whose callback this thread runs; NULL: none. */
extern _Thread_local Port *port_here;

void port_callback_give_back(Port *port);
/* A driver may write what it has queued its own way; then it empties its queue by that. */
void port_call_flush(Port *port);

static inline void port_callback_begin(Port *port) {
    driver_enter(port->driver);
    port_here = port;
}

static inline void port_callback_end(Port *port) {
    port_here = NULL;
    driver_leave(port->driver);
    if (unlikely(is_value(port->close_reason)))
        port_close(port, port->close_reason, port->close_flushes);
    if (unlikely(port->step == CLOSE_WRITE)) /* all may be written now */
        atomic_fetch_or(&port->actor.state, STATE_ACTIVE);
    if (unlikely(port->created != NULL))
        port_callback_give_back(port);
    if (unlikely(port->halts))
        port_halt_look(port, false);
}

#endif
