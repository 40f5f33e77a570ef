/*
 * The use that somebody makes of a driver, a port from before its start until after its stop (port/driver.h).
 */
#ifndef VIV_PORT_DRIVER_USE_H
#define VIV_PORT_DRIVER_USE_H

#include "port/driver.h"

/* One count, and the use of a port. NULL: there is none of that name, which may be opened. */
Driver *driver_find(const char *name);
Driver *driver_find_inner(const ErlDrvEntry *entry);
/* The same of one that the caller uses. */
void driver_retain(Driver *driver);
/* The use is that port's from now on, which nobody finds yet. False: it is not, as the driver's ports are killed. */
must_check bool driver_join(struct Port *port);
/* The port's use is over; the count stays. */
void driver_leave_for_good(struct Port *port);
/* One more use by something that is no port. */
void driver_use_again(Driver *driver);
/* A use is over that no port has (is_port: none has it yet); the count stays. */
void driver_disuse(Driver *driver, bool is_port);

#endif
