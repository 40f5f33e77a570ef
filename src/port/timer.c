#include "port/timer.h"

#include "port/callback.h"
#include "port/trace.h"
#include "port/work.h"
#include "process/timer.h"

/* It has its memory until here: no other has the same address meanwhile. */
static void take_timeout(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    Timer *t = timer_of_call(call);
    bool is_due = port->timer == t;
    timer_call_free(t);
    if (!is_due)
        return;
    port->timer = NULL;
    if (!port_is_served(port))
        return;
    port_trace_in(port, PORT_OWN_WORK);
    trace_event(&port->actor, TRACE_RECEIVE, EVENT_RECEIVE, am_timeout, am_clock_service);
    int64_t begun = port_work_begin();
    port_callback_begin(port);
    port->driver->entry->timeout(port->data);
    port_callback_end(port);
    port_work_end(port, am_timeout, begun);
    port_trace_out(port, PORT_OWN_WORK);
}

void port_timer_cancel(Port *port) {
    Timer *t = port->timer;
    port->timer = NULL;
    if (t != NULL)
        (void)timer_call_cancel(t);
}

int driver_set_timer(ErlDrvPort handle, unsigned long milliseconds) {
    Port *port = (Port *)handle;
    if (port->driver->entry->timeout == NULL)
        return -1;
    port_timer_cancel(port);
    int64_t nanoseconds = (int64_t)(milliseconds > UINT32_MAX ? UINT32_MAX : milliseconds) * 1000000;
    port->timer = timer_call_at(port_id(port), monotonic_milliseconds_up(monotonic_time() + nanoseconds), take_timeout);
    return 0;
}

int driver_cancel_timer(ErlDrvPort handle) {
    port_timer_cancel((Port *)handle);
    return 0;
}

int driver_read_timer(ErlDrvPort handle, unsigned long *left) {
    const Timer *t = ((Port *)handle)->timer;
    *left = t == NULL ? 0 : (unsigned long)timer_call_left(t);
    return 0;
}
