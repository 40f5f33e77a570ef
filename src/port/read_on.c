#include "port/read_on.h"

#include "alloc/alloc.h"
#include "port/callback.h"
#include "port/signal.h"

static void read_on(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    if (port->peer != NULL && port->peer->read_on != NULL && !port_has_status(port, PORT_CLOSING)) {
        port_callback_begin(port);
        port->peer->read_on(port->data);
        port_callback_end(port);
    }
    mem_free(ALLOC_PORT, call);
}

/* Left to a scheduler: who asks may be in the middle of what the port has given him. */
void port_read_on(Term id) {
    Port *port = port_at(id);
    if (port == NULL)
        return;
    PortCall *c = port_call_create(sizeof *c, NON_VALUE, read_on);
    if (!signal_push(&port->actor, &c->call.signal))
        mem_free(ALLOC_PORT, c);
}
