/*
 * How a port ends (port/port.h), step by step. By the thread that runs it.
 */
#ifndef VIV_PORT_CLOSE_H
#define VIV_PORT_CLOSE_H

#include "port/port.h"

/* Of one that is closing, with nothing left to write: a link or a monitor that came behind `{Owner, close}` is answered
 * when the owner has been told that it is closed. True: the signal is the port's, which handles it then. */
must_check bool port_close_is_told_first(Port *port, struct Signal *s);
/* Tells those who are linked to it or monitor it, if they are not very many. */
void port_close_tell(Port *port);
/* The steps; `run` of its body. */
ActorNext port_close_goes_on(Process *actor);

#endif
