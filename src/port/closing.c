#include "port/closing.h"

#include "process/registry.h"

void port_close(Port *port, Term reason, bool flushes) {
    if (port_has_status(port, PORT_CLOSING))
        return;
    atomic_fetch_or(&port->status, PORT_CLOSING);
    port->reason = kept_make(reason);
    port->step = CLOSE_LINKS;
    port->close_flushes = flushes;
    (void)registry_forget(&port->actor);
    atomic_fetch_or(&port->actor.state, STATE_ACTIVE);
}
