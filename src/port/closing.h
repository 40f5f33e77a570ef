/*
 * The decision that a port ends (port/port.h). By the thread that runs it; port/close.h does the rest.
 */
#ifndef VIV_PORT_CLOSING_H
#define VIV_PORT_CLOSING_H

#include "port/port.h"

/* It is to end with `reason`, unless it is closing already: nobody finds it by its name any more, and the rest is done
 * when it runs. `flushes`: what the driver has queued is written first. */
void port_close(Port *port, Term reason, bool flushes);
/* One that is closing waits for its driver no more: what that has queued is dropped. */
void port_close_writes_no_more(Port *port);
/* Nobody finds it by its name from now on, nor gives it one. */
void port_forget_name(Port *port);
/* It has written what it had to: erlang:ports/0 does not name it any more. */
void port_leave_lists(Port *port);
/* Does it? */
bool port_is_listed(const Process *port);

#endif
