#include "port/open.h"

#include <errno.h>
#include <string.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "port/callback.h"
#include "port/close.h"
#include "port/driver_use.h"
#include "port/signal.h"
#include "process/link.h"
#include "process/process_table.h"
#include "process/trace_point.h"
#include "term/atom.h"

static char *copied(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(ALLOC_PORT, bytes), text, bytes);
}

/* RUNNING: descriptors that its start selects may be ready at once, and the signals wait. */
static Port *create(Term owner, Driver *driver, const char *name, const PortOptions *options, Term id) {
    Port *port = mem_calloc(ALLOC_PORT, sizeof *port);
    actor_init(&port->actor, id, &port_body);
    atomic_fetch_or(&port->actor.state, STATE_RUNNING);
    port->driver = driver;
    port->name = copied(name);
    port->options = *options;
    if (driver->flags & ERL_DRV_FLAG_NO_BUSY_MSGQ)
        port->options.queue_high = port->options.queue_low = SIZE_MAX;
    port->os_pid = -1;
    port->close_reason = NON_VALUE;
    port->reason = KEPT_NONE;
    port->caller = NON_VALUE;
    atomic_init(&port->connected, owner);
    return port;
}

static OpenResult call_start(Port *port, char *command, SysDriverOpts *start, int *error) {
    errno = 0;
    port_callback_begin(port);
    port->data = port->driver->entry->start((ErlDrvPort)port, command, start);
    *error = errno;
    port_callback_end(port);
    if (port->data == ERL_DRV_ERROR_GENERAL)
        return OPEN_EINVAL;
    if (port->data == ERL_DRV_ERROR_ERRNO)
        return OPEN_ERRNO;
    return port->data == ERL_DRV_ERROR_BADARG ? OPEN_BADARG : OPEN_OK;
}

/* Who has found it is told that it is not there. */
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
    race_window("a port has been started, and is not yet given back");
    port->caller = NON_VALUE;
    actor_give_back(&port->actor, (atomic_load(&port->actor.state) & STATE_ACTIVE) != 0);
}

OpenResult port_open(Process *p, Driver *driver, const char *name, char *command, const PortOptions *options,
                     SysDriverOpts *start, Term *id, int *error) {
    *id = port_table_reserve();
    if (!is_value(*id)) {
        driver_disuse(driver);
        driver_release(driver);
        return OPEN_SYSTEM_LIMIT;
    }
    Port *port = create(p->pid, driver, name, options, *id);
    port->caller = p->pid;
    port_table_publish(&port->actor);
    OpenResult result = call_start(port, command, start, error);
    if (result == OPEN_OK)
        begin_to_live(p, port);
    else
        drop(port);
    return result;
}

static bool is_there(Term pid) {
    const Process *p = is_local_pid(pid) ? process_find(pid) : NULL;
    return p != NULL && !process_is_exiting(p);
}

Port *port_open_beside(Port *maker, Term owner, const char *name, ErlDrvData data) {
    static const PortOptions defaults = {.queue_high = PORT_QUEUE_HIGH, .queue_low = PORT_QUEUE_HIGH / 2};
    Term id = is_there(owner) ? port_table_reserve() : NON_VALUE;
    if (!is_value(id))
        return NULL;
    driver_retain(maker->driver);
    Port *port = create(owner, maker->driver, name, &defaults, id);
    port->data = data;
    port->is_started = true;
    port->created_next = maker->created;
    maker->created = port;
    port_table_publish(&port->actor);
    if (!link_make(&port->actor, owner, false))
        port->close_reason = am_noproc;
    return port;
}
