/*
 * How a port ends (port/port.h), step by step. By the thread that runs it.
 */
#ifndef VIV_PORT_CLOSE_H
#define VIV_PORT_CLOSE_H

#include "port/port.h"

/* Tells those who are linked to it or monitor it, if they are not very many. */
void port_close_tell(Port *port);
/* The steps; `run` of its body. */
ActorNext port_close_goes_on(Process *actor);

#endif
