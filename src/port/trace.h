/*
 * What is told of a port to who traces it (process/trace_point.h), or profiles the system. By the thread that runs it.
 *
 * Source of the events and their order: erlang(3) trace/3, flags ports, running_ports, send and 'receive'; answers of
 * OTP 25: what is asked is told by its name where who asks runs the port himself, and he is told to be out meanwhile
 * (running_procs). What a scheduler runs the port for is told as one, 0, whatever it is: signals that have come, its
 * descriptors, timers and the like.
 */
#ifndef VIV_PORT_TRACE_H
#define VIV_PORT_TRACE_H

#include "port/port.h"
#include "process/system_profile.h"
#include "process/trace_point.h"
#include "term/atom.h"

#define PORT_OWN_WORK small_make(0)
/* It is opened, which is no work yet, and that is over. */
static inline void port_trace_open_in(Port *port) {
    trace_event(&port->actor, TRACE_RUNNING_PORTS, EVENT_PORT_IN, am_open, NON_VALUE);
}
static inline void port_trace_open_out(Port *port) {
    if (!port_has_status(port, PORT_CLOSING))
        trace_event(&port->actor, TRACE_RUNNING_PORTS, EVENT_PORT_OUT, am_open, NON_VALUE);
}
/* It does something: `what` it was asked, or PORT_OWN_WORK. */
static inline void port_trace_in(Port *port, Term what) {
    if (port->is_in_slice && port->is_told_in)
        return;
    port->is_told_in = true;
    system_profile_port(&port->actor, true);
    trace_event(&port->actor, TRACE_RUNNING_PORTS, EVENT_PORT_IN, port->is_in_slice ? PORT_OWN_WORK : what, NON_VALUE);
}
static inline void port_trace_left(Port *port, Term what) {
    port->is_told_in = false;
    if (!port_has_status(port, PORT_CLOSING))
        trace_event(&port->actor, TRACE_RUNNING_PORTS, EVENT_PORT_OUT, what, NON_VALUE);
    system_profile_port(&port->actor, false);
}
/* That is over; in a slice it goes on until its end. */
static inline void port_trace_out(Port *port, Term what) {
    if (!port->is_in_slice)
        port_trace_left(port, what);
}
/* Around what a scheduler runs it for. */
static inline void port_trace_slice(Port *port, bool begins) {
    port->is_in_slice = begins;
    if (begins)
        port->is_told_in = false;
    if (!begins && port->is_told_in)
        port_trace_left(port, PORT_OWN_WORK);
}

/* It is in its table, and does nothing yet. */
void port_trace_open(Port *port, Term owner);
void port_trace_closed(Port *port, Term reason);

static inline bool port_trace_tells_received(const Port *port) {
    return unlikely((port->actor.trace_flags & TRACE_RECEIVE) != 0);
}
/* {From, {What, X}}: X is what `make` makes of `data`; {From, What} where `make` is NULL. Call them only where that is
 * told. */
void port_trace_received(Port *port, Term from, Term what, Term make(Area *area, const void *data), const void *data);
/* `message`, to a process. */
static inline void port_trace_send(Port *port, Term message, Term to) {
    trace_event(&port->actor, TRACE_SEND, EVENT_SEND, message, to);
}
static inline bool port_trace_tells_sent(const Port *port) {
    return unlikely((port->actor.trace_flags & TRACE_SEND) != 0);
}
/* {Port, What}, or {Port, {What, X}}, as port_trace_received has it. */
void port_trace_answer(Port *port, Term to, Term what, Term make(Area *area, const void *data), const void *data);

#endif
