/*
 * A port whose driver reads no more, as its peer has enough for now (port/port.h, PortPeer), goes on.
 */
#ifndef VIV_PORT_READ_ON_H
#define VIV_PORT_READ_ON_H

#include "port/port.h"

/* Any thread that may look identifiers up. Nothing, if it is gone by now. */
void port_read_on(Term id);

#endif
