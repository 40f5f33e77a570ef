#include "port/open.h"

#include <errno.h>
#include <string.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "port/callback.h"
#include "port/close.h"
#include "port/driver_use.h"
#include "port/hold.h"
#include "port/signal.h"
#include "port/trace.h"
#include "process/link.h"
#include "process/process_table.h"
#include "process/request.h"
#include "process/trace_point.h"
#include "sys/errno_name.h"
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
    bool has_no_limit = (driver->flags & ERL_DRV_FLAG_NO_BUSY_MSGQ) != 0;
    atomic_init(&port->queue_low, has_no_limit ? SIZE_MAX : options->queue_low);
    atomic_init(&port->queue_high, has_no_limit ? SIZE_MAX : options->queue_high);
    port->os_pid = -1;
    port->close_reason = port->told_closed = NON_VALUE;
    port->reason = KEPT_NONE;
    port->caller = NON_VALUE;
    atomic_init(&port->connected, owner);
    atomic_init(&port->holders, 1);
    return port;
}

static OpenResult result_of(ErlDrvData data) {
    if (data == ERL_DRV_ERROR_GENERAL)
        return OPEN_EINVAL;
    if (data == ERL_DRV_ERROR_ERRNO)
        return OPEN_ERRNO;
    return data == ERL_DRV_ERROR_BADARG ? OPEN_BADARG : OPEN_OK;
}

static OpenResult call_start(Port *port, char *command, SysDriverOpts *start, int *error) {
    errno = 0;
    port_callback_begin(port);
    if (port->driver->entry->start != NULL)
        port->data = port->driver->entry->start((ErlDrvPort)port, command, start);
    *error = errno;
    port_callback_end(port);
    if (port->acknowledged != NULL)
        port->data = port->acknowledged;
    return result_of(port->data);
}

/* Says it later than from its start. */
static bool says_later(const Port *port) {
    return (port->driver->flags & ERL_DRV_FLAG_USE_INIT_ACK) != 0 && port->acknowledged == NULL;
}

static Term verdict_of(const Port *port, ErlDrvData data, int error) {
    switch (result_of(data)) {
    case OPEN_OK: return port_id(port);
    case OPEN_EINVAL: return atom_from_cstring(errno_name(EINVAL));
    case OPEN_ERRNO: return atom_from_cstring(errno_name(error));
    default: return am_badarg;
    }
}

/* Who has opened it hears of it by the verdict alone. */
static void end_unseen(Port *port) {
    link_remove(&port->actor, port->opener);
    if (!is_value(port->close_reason))
        port->close_reason = am_normal;
}

void port_open_acknowledge(Port *port, ErlDrvData data) {
    int error = errno;
    if (!port->is_started) {
        port->acknowledged = data;
        return;
    }
    if (port->open_request == 0)
        return;
    request_reply(port->opener, port->open_request, verdict_of(port, data, error));
    port->open_request = 0;
    if (result_of(data) == OPEN_OK)
        port->data = data;
    else
        end_unseen(port);
}

/* Of one that is in no table yet, and whose driver is used for nothing. */
static void give_back(Port *port) {
    Driver *driver = port->driver;
    Term id = port_id(port);
    port_release(port);
    port_table_remove(id);
    driver_disuse(driver, true);
}

/* Who has found it is told that it is not there. */
static void drop(Port *port) {
    atomic_fetch_or(&port->status, PORT_CLOSING);
    port->step = CLOSE_STOP;
    port_forget_name(port);
    port->actor.reductions = 1;
    (void)port_close_goes_on(&port->actor);
}

static void begin_to_live(Process *p, Port *port) {
    port->is_started = true;
    link_add(&port->actor, p->pid, false);
    trace_event(&port->actor, TRACE_PORTS, EVENT_PORT_LINKED, p->pid, NON_VALUE);
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
        driver_disuse(driver, true);
        driver_release(driver);
        return OPEN_SYSTEM_LIMIT;
    }
    Port *port = create(p->pid, driver, name, options, *id);
    if (!driver_join(port)) {
        give_back(port);
        return OPEN_BADARG;
    }
    port->caller = p->pid;
    port_table_publish(&port->actor);
    port_trace_open(port, p->pid);
    port_trace_open_in(port);
    OpenResult result = call_start(port, command, start, error);
    port_trace_open_out(port);
    if (result != OPEN_OK) {
        drop(port);
        return result;
    }
    bool waits = says_later(port);
    port->opener = p->pid;
    port->open_request = waits ? request_begin(p) : 0;
    begin_to_live(p, port);
    return waits ? OPEN_WAITS : OPEN_OK;
}

static bool is_there(Term pid) {
    const Process *p = is_local_pid(pid) ? process_find(pid) : NULL;
    return p != NULL && !process_is_exiting(p);
}

Port *port_open_beside(Port *maker, Term owner, const char *name, ErlDrvData data) {
    Term id = is_there(owner) ? port_table_reserve() : NON_VALUE;
    if (!is_value(id))
        return NULL;
    driver_retain(maker->driver);
    Port *port = create(owner, maker->driver, name, &port_defaults, id);
    if (!driver_join(port)) {
        give_back(port);
        return NULL;
    }
    port->data = data;
    port->is_started = true;
    port->created_next = maker->created;
    maker->created = port;
    port_table_publish(&port->actor);
    port_trace_open(port, owner);
    if (!link_make(&port->actor, owner, false))
        port->close_reason = am_noproc;
    return port;
}
