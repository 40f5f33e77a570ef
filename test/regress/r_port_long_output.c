/* A driver that tells as many bytes as it is asked for, in one callback, in each of the ways that there are. */
#include <string.h>

#include "erl_driver.h"

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }

static void tell_as(ErlDrvPort port, unsigned command, ErlDrvBinary *bytes, size_t size) {
    SysIOVec iov[2] = {{bytes->orig_bytes, size / 2}, {bytes->orig_bytes + size / 2, size - size / 2}};
    ErlDrvBinary *parts[2] = {bytes, bytes};
    ErlIOVec vector = {.vsize = 2, .size = size, .iov = iov, .binv = parts};
    switch (command) {
    case 'o': driver_output(port, bytes->orig_bytes, size); return;
    case '2': driver_output2(port, "header", 6, bytes->orig_bytes, size); return;
    case 'b': driver_output_binary(port, "", 0, bytes, 0, size); return;
    case 'v': driver_outputv(port, "", 0, &vector, 0); return;
    default: driver_failure_atom(port, "what");
    }
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned command, char *text, ErlDrvSizeT length, char **result,
                            ErlDrvSizeT room) {
    ErlDrvSizeT size = 0;
    for (ErlDrvSizeT i = 0; i < length; i++)
        size = 10 * size + (ErlDrvSizeT)(text[i] - '0');
    ErlDrvBinary *bytes = driver_alloc_binary(size);
    memset(bytes->orig_bytes, 'x', size);
    tell_as((ErlDrvPort)data, command, bytes, size);
    driver_free_binary(bytes);
    return 0;
}

static ErlDrvEntry entry = {
    .start = start,
    .control = control,
    .driver_name = "r_port_long_output",
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

DRIVER_INIT(r_port_long_output) { return &entry; }
