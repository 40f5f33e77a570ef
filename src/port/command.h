/*
 * What is asked of ports (erlang(3) port_command/3, port_control/3, port_connect/2, port_close/1, port_info/2, and
 * messages to a port): by a process, on its own thread. Answers are terms of its heap; those that may wait return
 * NON_VALUE then, and are called again.
 */
#ifndef VIV_PORT_COMMAND_H
#define VIV_PORT_COMMAND_H

#include "port/port.h"

/* Gives the bytes of an iolist to the driver. True: it has got them; am_badarg: they are none, or the port is gone
 * (`port` NULL: since long); am_notsup: `forced`, and the driver does not allow that; am_false: `not_suspended`, and it
 * is busy, or was so when its turn came. */
Term port_command(Process *p, Port *port, Term data, bool forced, bool not_suspended);
/* The same by a port's peer, whether it is busy or not: the bytes are the port's. `more_follows`: he sends more at
 * once, and the driver may wait for it. False: it has gone, or is closing, and they are the caller's. Any thread that
 * may look identifiers up, no lock held. */
must_check bool port_send_vector(Port *port, IoVector *bytes, bool more_follows);
/* am_true, or am_badarg. */
Term port_shut(Process *p, Port *port);
Term port_connect(Process *p, Port *port, Term pid);

/* The entry of the routing table (process/route.h): {Owner, What}. */
Term port_send(Process *p, Term port, Term message);
/* The same with `nosuspend`: its sender never waits, and it is not kept back (port/kept_back.h). */
Term port_send_now(Process *p, Term port, Term message);
/* As port_send, by a BIF that may wait, which port_send traps to when the port is busy. */
Term port_send_when_free(Process *p, Term port, Term message);
/* Would who sends it wait, as of now: the port is busy, and this is a command? */
bool port_send_waits(Term port, Term message);

/* The entry for native libraries: sends the bytes of an iolist. Any thread that may look identifiers up, for a process
 * or for nobody (NON_VALUE), no lock held. False: there is no such open port, or it is no iolist. */
bool port_send_bytes(Term from, Term port, Term data);

#endif
