#include "port/closing.h"

#include "port/data_lock.h"
#include "port/trace.h"
#include "process/registry.h"

bool port_is_listed(const Process *port) { return !port_has_status((const Port *)port, PORT_ENDS); }

static void end(Process *port, uint32_t how) { atomic_fetch_or(&port_of(port)->status, PORT_ENDS); }

void port_leave_lists(Port *port) { port_table_end(&port->actor, port_is_listed, end); }

void port_forget_name(Port *port) {
    Term name = registry_forget(&port->actor);
    if (is_value(name))
        trace_event(&port->actor, TRACE_PORTS, EVENT_UNREGISTER, name, NON_VALUE);
}

void port_close_writes_no_more(Port *port) {
    port->close_flushes = false;
    atomic_fetch_or(&port->actor.state, STATE_ACTIVE);
}

void port_close(Port *port, Term reason, bool flushes) {
    if (port_has_status(port, PORT_CLOSING))
        return;
    atomic_fetch_or(&port->status, PORT_CLOSING);
    if (!flushes || port_queue_bytes(port) == 0)
        port_leave_lists(port);
    port->reason = kept_make(reason);
    port->step = CLOSE_LINKS;
    port->close_flushes = flushes;
    port_trace_closed(port, reason == am_killed && !flushes ? am_kill : reason);
    port_forget_name(port);
    atomic_fetch_or(&port->actor.state, STATE_ACTIVE);
}
