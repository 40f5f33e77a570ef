#include "port/halt.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "base/visitor.h"
#include "port/callback.h"
#include "port/data_lock.h"
#include "port/signal.h"
#include "term/atom.h"

/* One that is closing has been asked to flush, if it is to. The runtime's own drivers are asked where nothing is
 * queued, too: a socket is closed then, as its other end may be a socket here that waits for it to be read. */
static void begin(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    port->halts = port->takes_no_more = true;
    bool is_own = port->driver->library == NULL;
    if ((is_own || port_queue_bytes(port) > 0) && !port_has_status(port, PORT_CLOSING))
        port_call_flush(port);
    port_halt_look(port, false);
    port_answer_with((PortCall *)call, am_true);
}

static void tell(Process *actor, void *unused) {
    PortCall *call = port_call_create(sizeof *call, NIL, begin);
    halting_count();
    race_window("a port is counted, and not yet told to write all");
    if (port_tell_call(NULL, port_of(actor), call))
        return;
    mem_free(ALLOC_PORT, call);
    halting_count_out();
}

bool ports_write_all(int64_t until) {
    visitor_enter();
    port_table_each(tell, NULL);
    visitor_leave();
    return halting_wait(until);
}

/* Without the driver's lock: the thread that had it does not go on. */
static void call_emergency_close(Process *actor, void *unused) {
    Port *port = port_of(actor);
    if (port->is_started && port->driver->entry->emergency_close != NULL)
        port->driver->entry->emergency_close(port->data);
}

void ports_emergency_close(void) { port_table_each(call_emergency_close, NULL); }
