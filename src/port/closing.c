#include "port/closing.h"

#include "port/trace.h"
#include "process/registry.h"

void port_close(Port *port, Term reason, bool flushes) {
    if (port_has_status(port, PORT_CLOSING))
        return;
    atomic_fetch_or(&port->status, PORT_CLOSING);
    port->reason = kept_make(reason);
    port->step = CLOSE_LINKS;
    port->close_flushes = flushes;
    port_trace_closed(port, reason == am_killed && !flushes ? am_kill : reason);
    Term name = registry_forget(&port->actor);
    if (is_value(name))
        trace_event(&port->actor, TRACE_PORTS, EVENT_UNREGISTER, name, NON_VALUE);
    atomic_fetch_or(&port->actor.state, STATE_ACTIVE);
}
