/*
 * Busy ports: processes that wait until a port takes commands again. Source: erlang(3) port_command/3.
 *
 * A port is busy because its driver says so, or because too many bytes of commands wait in its signals. Who wants to
 * send then asks to be told, and waits; he looks again when he is told, for others may have been before him.
 */
#ifndef VIV_PORT_BUSY_H
#define VIV_PORT_BUSY_H

#include "port/port.h"

/* Any thread, as of now. */
static inline bool port_is_busy(const Port *port) { return port_has_status(port, PORT_BUSY | PORT_QUEUE_BUSY); }
/* By the port: the driver says so; so many bytes of commands have come, or were handled. */
void port_set_busy(Port *port, bool is_busy);
/* By the port: new limits of what may wait in its signals; SIZE_MAX: none, for ever. */
void port_set_queue_limits(Port *port, size_t low, size_t high);
/* By the port: the process is told, `ready`, when it is not busy any more, or closing; at once if it is so now. */
void port_wait(Port *port, Term pid, uint64_t request);
/* By the port: a list of the pids that wait, the newest first. */
Term port_who_wait(const Port *port, Area *area);
/* Tells all who wait. */
void port_wake_waiting(Port *port);

/* By who sends a command of so many bytes, before; and by the port, when it has handled it. */
void port_bytes_come(Port *port, size_t bytes);
void port_bytes_gone(Port *port, size_t bytes);

#endif
