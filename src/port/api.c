/*
 * What drivers call: to their connected process, about their descriptors, about their port's end. Source:
 * erl_driver(3). All by a callback of the port, unless the manual says otherwise.
 */
#include <string.h>

#include "port/busy.h"
#include "port/callback.h"
#include "port/library.h"
#include "port/open.h"
#include "port/output.h"
#include "port/select.h"
#include "process/link.h"
#include "sys/errno_name.h"
#include "term/atom.h"

static Port *port_behind(ErlDrvPort port) { return (Port *)port; }

/* Does its connected process hear what the driver has for it? And what the driver hears where it does not. */
static bool is_told(const Port *p) { return port_is_heard(p) && !port_is_over(p); }
static int untold(const Port *p) { return port_is_over(p) ? -1 : 0; }

int driver_output2(ErlDrvPort port, char *header, ErlDrvSizeT header_size, char *bytes, ErlDrvSizeT size) {
    Port *p = port_behind(port);
    if (!is_told(p))
        return untold(p);
    port_tell_data(p, header, header_size, bytes, size, NULL);
    return 0;
}

int driver_output(ErlDrvPort port, char *bytes, ErlDrvSizeT size) { return driver_output2(port, NULL, 0, bytes, size); }

int driver_output_binary(ErlDrvPort port, char *header, ErlDrvSizeT header_size, ErlDrvBinary *binary,
                         ErlDrvSizeT offset, ErlDrvSizeT size) {
    Port *p = port_behind(port);
    if (!is_told(p))
        return untold(p);
    port_tell_data(p, header, header_size, binary->orig_bytes + offset, size, driver_refc(binary));
    return 0;
}

/* The vector is not changed. What is skipped may be more than there is. */
int driver_outputv(ErlDrvPort port, char *header, ErlDrvSizeT header_size, ErlIOVec *vector, ErlDrvSizeT skip) {
    Port *p = port_behind(port);
    if (!is_told(p))
        return untold(p);
    port_tell_vector(p, header, header_size, vector, skip < vector->size ? skip : vector->size);
    return 0;
}

/* How many bytes were copied, as with the stock runtime: its manual says what is left of the room. */
ErlDrvSizeT driver_vec_to_buf(ErlIOVec *vector, char *to, ErlDrvSizeT room) {
    char *at = to;
    for (int i = 0; i < vector->vsize && room > 0; i++) {
        size_t size = vector->iov[i].iov_len < room ? vector->iov[i].iov_len : room;
        if (size > 0) /* the free place has no bytes, and no address */
            memcpy(at, vector->iov[i].iov_base, size);
        at += size;
        room -= size;
    }
    return (ErlDrvSizeT)(at - to);
}

int driver_select(ErlDrvPort port, ErlDrvEvent event, int mode, int on) {
    return port_select(port_behind(port), event, mode, on);
}

void set_busy_port(ErlDrvPort port, int on) { port_set_busy(port_behind(port), on != 0); }
void set_port_control_flags(ErlDrvPort port, int flags) { port_behind(port)->control_flags = flags; }

/* *limit is what is wanted, or 0. */
static size_t limit_of(size_t wanted, size_t now) { return wanted == ERL_DRV_BUSY_MSGQ_READ_ONLY ? now : wanted; }

static bool disables(const ErlDrvSizeT *limit) { return limit != NULL && *limit == ERL_DRV_BUSY_MSGQ_DISABLED; }

static void tell_limits(const Port *p, ErlDrvSizeT *low, ErlDrvSizeT *high) {
    if (low != NULL)
        *low = atomic_load(&p->queue_low);
    if (high != NULL)
        *high = atomic_load(&p->queue_high);
}

/* A limit that is set moves the other. */
static void set_limits(Port *p, size_t low, size_t high) {
    bool moves_high = low != 0 && high == 0;
    low = limit_of(low, atomic_load(&p->queue_low));
    high = limit_of(high, atomic_load(&p->queue_high));
    if (low > high)
        *(moves_high ? &high : &low) = moves_high ? low : high;
    port_set_queue_limits(p, low, high);
}

/* What is disabled stays so; who disables it is told nothing, as by the stock runtime. */
void erl_drv_busy_msgq_limits(ErlDrvPort port, ErlDrvSizeT *low, ErlDrvSizeT *high) {
    Port *p = port_behind(port);
    if (atomic_load(&p->queue_high) == SIZE_MAX) {
        tell_limits(p, low, high);
    } else if (disables(low) || disables(high)) {
        port_set_queue_limits(p, SIZE_MAX, SIZE_MAX);
    } else {
        set_limits(p, low == NULL ? 0 : *low, high == NULL ? 0 : *high);
        tell_limits(p, low, high);
    }
}

int get_port_flags(ErlDrvPort port) {
    const PortOptions *o = &port_behind(port)->options;
    return (o->is_binary ? PORT_FLAG_BINARY : 0) | (o->line != 0 ? PORT_FLAG_LINE : 0);
}

void erl_drv_set_os_pid(ErlDrvPort port, ErlDrvSInt pid) { port_behind(port)->os_pid = pid; }

/* What its driver has queued is lost; one that is closing waits for its driver no more. */
static int fail(Port *port, Term reason) {
    if (port_has_status(port, PORT_CLOSING)) {
        port_close_writes_no_more(port);
        return 0;
    }
    if (port_is_over(port))
        return -1;
    port->close_reason = reason;
    port->close_flushes = false;
    return 0;
}

int driver_failure_eof(ErlDrvPort port) {
    Port *p = port_behind(port);
    if (port_is_over(p))
        return -1;
    port_tell_rest_of_line(p);
    if (!p->options.tells_eof || port_has_status(p, PORT_CLOSING))
        return fail(p, am_normal);
    port_tell(p, port_connected(p), am_eof);
    return 0;
}

int driver_failure_atom(ErlDrvPort port, char *reason) { return fail(port_behind(port), atom_from_cstring(reason)); }

int driver_failure_posix(ErlDrvPort port, int error) { return driver_failure_atom(port, erl_errno_id(error)); }

int driver_failure(ErlDrvPort port, int error) {
    return fail(port_behind(port), error == 0 ? am_normal : small_make(error));
}

/* As with the stock runtime its connected process is linked to it no more, and hears nothing. */
int driver_exit(ErlDrvPort port, int error) {
    Port *p = port_behind(port);
    if (port_is_over(p))
        return -1;
    if (!port_has_status(p, PORT_CLOSING))
        link_remove(&p->actor, port_connected(p));
    return error == 0 ? fail(p, am_normal) : driver_failure_posix(port, error);
}

int driver_lock_driver(ErlDrvPort port) {
    const Driver *d = port_behind(port)->driver;
    if (d->library != NULL)
        library_keep(d->library);
    return 0;
}

/* 1: it was used up. */
int erl_drv_consume_timeslice(ErlDrvPort port, int percent) {
    Process *actor = &port_behind(port)->actor;
    percent = percent < 1 ? 1 : percent > 100 ? 100 : percent;
    actor->reductions -= (int64_t)REDUCTIONS_PER_SLICE / 100 * percent;
    return actor->reductions <= 0;
}

void add_driver_entry(ErlDrvEntry *entry) { driver_add(entry, false); }

/* 1: it is there no more, for new ports; 0: it was not; -1: it is a library's. */
int remove_driver_entry(ErlDrvEntry *entry) { return driver_remove(entry); }

ErlDrvPort driver_create_port(ErlDrvPort port, ErlDrvTermData owner, char *name, ErlDrvData data) {
    Port *created = port_here == NULL ? NULL : port_open_beside(port_here, owner, name, data);
    return created == NULL ? (ErlDrvPort)-1 : (ErlDrvPort)created;
}

void erl_drv_init_ack(ErlDrvPort port, ErlDrvData data) { port_open_acknowledge(port_behind(port), data); }
