/*
 * What drivers call: to their connected process, about their descriptors, about their port's end. Source:
 * erl_driver(3). All by a callback of the port, unless the manual says otherwise.
 */
#include "port/busy.h"
#include "port/callback.h"
#include "port/open.h"
#include "port/output.h"
#include "port/select.h"
#include "sys/errno_name.h"
#include "term/atom.h"

static Port *port_behind(ErlDrvPort port) { return (Port *)port; }

int driver_output2(ErlDrvPort port, char *header, ErlDrvSizeT header_size, char *bytes, ErlDrvSizeT size) {
    Port *p = port_behind(port);
    if (port_has_status(p, PORT_CLOSING))
        return 0;
    port_tell_data(p, header, header_size, bytes, size, NULL);
    return 0;
}

int driver_output(ErlDrvPort port, char *bytes, ErlDrvSizeT size) { return driver_output2(port, NULL, 0, bytes, size); }

int driver_output_binary(ErlDrvPort port, char *header, ErlDrvSizeT header_size, ErlDrvBinary *binary,
                         ErlDrvSizeT offset, ErlDrvSizeT size) {
    Port *p = port_behind(port);
    if (port_has_status(p, PORT_CLOSING))
        return 0;
    port_tell_data(p, header, header_size, binary->orig_bytes + offset, size, driver_refc(binary));
    return 0;
}

int driver_select(ErlDrvPort port, ErlDrvEvent event, int mode, int on) {
    return port_select(port_behind(port), event, mode, on);
}

void set_busy_port(ErlDrvPort port, int on) { port_set_busy(port_behind(port), on != 0); }
void set_port_control_flags(ErlDrvPort port, int flags) { port_behind(port)->control_flags = flags; }
int get_port_flags(ErlDrvPort port) {
    const PortOptions *o = &port_behind(port)->options;
    return (o->is_binary ? PORT_FLAG_BINARY : 0) | (o->line != 0 ? PORT_FLAG_LINE : 0);
}

void erl_drv_set_os_pid(ErlDrvPort port, ErlDrvSInt pid) { port_behind(port)->os_pid = pid; }

/* One that is closing waits for its driver no more. */
static int fail(Port *port, Term reason) {
    if (port_has_status(port, PORT_CLOSING)) {
        port->close_flushes = false;
        atomic_fetch_or(&port->actor.state, STATE_ACTIVE);
        return 0;
    }
    if (!is_value(port->close_reason)) {
        port->close_reason = reason;
        port->close_flushes = true;
    }
    return 0;
}

int driver_failure_eof(ErlDrvPort port) {
    Port *p = port_behind(port);
    port_tell_rest_of_line(p);
    if (!p->options.tells_eof || port_has_status(p, PORT_CLOSING))
        return fail(p, am_normal);
    port_tell(p, port_connected(p), am_eof);
    return 0;
}

int driver_failure_atom(ErlDrvPort port, char *reason) { return fail(port_behind(port), atom_from_cstring(reason)); }

int driver_failure_posix(ErlDrvPort port, int error) { return driver_failure_atom(port, erl_errno_id(error)); }

int driver_failure(ErlDrvPort port, int error) { return fail(port_behind(port), small_make(error)); }

int driver_exit(ErlDrvPort port, int error) {
    return error == 0 ? fail(port_behind(port), am_normal) : driver_failure_posix(port, error);
}

ErlDrvPort driver_create_port(ErlDrvPort port, ErlDrvTermData owner, char *name, ErlDrvData data) {
    Port *created = port_here == NULL ? NULL : port_open_beside(port_here, owner, name, data);
    return created == NULL ? (ErlDrvPort)-1 : (ErlDrvPort)created;
}
