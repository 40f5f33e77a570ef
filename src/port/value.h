/*
 * The term that a port keeps for whoever asks (erlang:port_set_data/2, port_get_data/1). As on the stock runtime it is
 * no signal that sets it: it is read and exchanged by any thread that has found the port, also while the port's end is
 * on its way to it.
 */
#ifndef VIV_PORT_VALUE_H
#define VIV_PORT_VALUE_H

#include "port/port.h"

/* Any thread that may look identifiers up, no lock held. The value is the port's. */
void port_value_set(Port *port, Kept value);
/* A copy in that area; `undefined`: there is none. */
Term port_value_get(Port *port, Area *area);
/* By the last who holds the port. */
void port_value_release(Port *port);

#endif
