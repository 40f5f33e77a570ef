/* Opened by one port at a time. What is written comes back. */
#include <errno.h>

#include <erl_driver.h>

static int is_open;

static ErlDrvData start(ErlDrvPort port, char *name) {
    if (is_open) {
        errno = EINVAL;
        return ERL_DRV_ERROR_ERRNO;
    }
    is_open = 1;
    return (ErlDrvData)port;
}

static void stop(ErlDrvData data) { is_open = 0; }

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) { driver_output((ErlDrvPort)data, bytes, size); }

static ErlDrvEntry entry = {
    .start = start,
    .stop = stop,
    .output = output,
    .driver_name = "r_port_exit_at_once",
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
    .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(r_port_exit_at_once) { return &entry; }
