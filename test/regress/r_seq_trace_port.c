/* A driver that gives back what it gets. */
#include "erl_driver.h"

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }
static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) { driver_output((ErlDrvPort)data, bytes, size); }

static ErlDrvEntry entry = {
    .start = start,
    .output = output,
    .driver_name = "r_seq_trace_port",
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

DRIVER_INIT(r_seq_trace_port) { return &entry; }
