/*
 * port_control/3 and port_call/3: what a driver is asked, and answers at once. Source: erlang(3); driver_entry(3)
 * control, call.
 */
#ifndef VIV_PORT_CONTROL_H
#define VIV_PORT_CONTROL_H

#include "port/port.h"

/* By p's own thread, in a BIF that may wait; of a port or its name; `data` is an iolist. The result, or am_badarg. */
Term port_control(Process *p, Term port, unsigned command, Term data);
/* Any term; {ok, Result}, or am_badarg. */
Term port_call(Process *p, Term port, unsigned command, Term data);

#endif
