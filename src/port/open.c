#include "port/open.h"

#include <errno.h>
#include <string.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "port/callback.h"
#include "port/close.h"
#include "port/signal.h"
#include "process/link.h"
#include "process/trace_point.h"
#include "term/atom.h"

static char *copied(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(ALLOC_PORT, bytes), text, bytes);
}

/* RUNNING: descriptors that its start selects may be ready at once, and the signals wait. */
static Port *create(Process *p, Driver *driver, const char *name, const PortOptions *options, Term id) {
    Port *port = mem_calloc(ALLOC_PORT, sizeof *port);
    actor_init(&port->actor, id, &port_body);
    atomic_fetch_or(&port->actor.state, STATE_RUNNING);
    port->driver = driver;
    port->name = copied(name);
    port->options = *options;
    port->os_pid = -1;
    port->close_reason = NON_VALUE;
    port->reason = KEPT_NONE;
    atomic_init(&port->connected, p->pid);
    port->caller = p->pid;
    return port;
}

static OpenResult call_start(Port *port, char *command, SysDriverOpts *start, int *error) {
    errno = 0;
    driver_enter(port->driver);
    port->data = port->driver->entry->start((ErlDrvPort)port, command, start);
    driver_leave(port->driver);
    *error = errno;
    if (port->data == ERL_DRV_ERROR_GENERAL)
        return OPEN_EINVAL;
    if (port->data == ERL_DRV_ERROR_ERRNO)
        return OPEN_ERRNO;
    return port->data == ERL_DRV_ERROR_BADARG ? OPEN_BADARG : OPEN_OK;
}

/* Only its descriptors were known to anybody. */
static void drop(Port *port) {
    atomic_fetch_or(&port->status, PORT_CLOSING);
    port->step = CLOSE_STOP;
    port->actor.reductions = 1;
    (void)port_close_goes_on(&port->actor);
}

static void begin_to_live(Process *p, Port *port) {
    port->is_started = true;
    link_add(&port->actor, p->pid, false);
    link_add(p, port_id(port), false);
    trace_event(p, TRACE_PROCS, EVENT_LINK, port_id(port), NON_VALUE);
    race_window("a port has been started, and is not yet found");
    port_table_publish(&port->actor);
    if (is_value(port->close_reason))
        port_close(port, port->close_reason, port->close_flushes);
    port->caller = NON_VALUE;
    actor_give_back(&port->actor, (atomic_load(&port->actor.state) & STATE_ACTIVE) != 0);
}

OpenResult port_open(Process *p, Driver *driver, const char *name, char *command, const PortOptions *options,
                     SysDriverOpts *start, Term *id, int *error) {
    *id = port_table_reserve();
    if (!is_value(*id)) {
        driver_release(driver);
        return OPEN_SYSTEM_LIMIT;
    }
    Port *port = create(p, driver, name, options, *id);
    OpenResult result = call_start(port, command, start, error);
    if (result == OPEN_OK)
        begin_to_live(p, port);
    else
        drop(port);
    return result;
}
