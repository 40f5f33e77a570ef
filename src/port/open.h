/*
 * How a port begins (port/port.h): its driver is started while nobody else can run it. Source: erlang(3) open_port/2;
 * driver_entry(3) start.
 */
#ifndef VIV_PORT_OPEN_H
#define VIV_PORT_OPEN_H

#include "port/fd_driver.h"
#include "port/port.h"

typedef enum { OPEN_OK, OPEN_BADARG, OPEN_EINVAL, OPEN_ERRNO, OPEN_SYSTEM_LIMIT, OPEN_WAITS } OpenResult;

/* By p's own thread. Takes over one use and count of the driver. The port is linked to p, which gets its data.
 * `command` is what the driver is started with; `*error` an error number when that is the result. Nothing is left
 * behind of one that could not be started, but what `start` holds is the caller's then. OPEN_WAITS: as the last thing
 * of a BIF that may wait; p is answered with the port, or an atom, when the driver has said erl_drv_init_ack. */
OpenResult port_open(Process *p, Driver *driver, const char *name, char *command, const PortOptions *options,
                     SysDriverOpts *start, Term *id, int *error);

/* The driver says it, by a callback. */
void port_open_acknowledge(Port *port, ErlDrvData data);
/* By a callback: one more port of the same driver, with its data in place of a start, for the process `owner`, which is
 * linked to it. The callback's thread runs it until the callback is over. NULL: there is no such process, or no
 * room. */
Port *port_open_beside(Port *maker, Term owner, const char *name, ErlDrvData data);

#endif
