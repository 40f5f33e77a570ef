#include "port/callback.h"

#include "base/race_window.h"

_Thread_local Port *port_here;

void port_call_flush(Port *port) {
    if (port->driver->entry->flush == NULL)
        return;
    port_callback_begin(port);
    port->driver->entry->flush(port->data);
    port_callback_end(port);
}

void port_callback_give_back(Port *maker) {
    Port *port = maker->created;
    maker->created = NULL;
    for (Port *next; port != NULL; port = next) {
        next = port->created_next;
        if (is_value(port->close_reason))
            port_close(port, port->close_reason, port->close_flushes);
        race_window("a port that a driver has created is not yet given back");
        actor_give_back(&port->actor, (atomic_load(&port->actor.state) & STATE_ACTIVE) != 0);
    }
}
