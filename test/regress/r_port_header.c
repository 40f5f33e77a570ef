/* A driver that tells no data behind a header, in all the ways that there are. */
#include <erl_driver.h>

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT count) {
    ErlDrvPort port = (ErlDrvPort)data;
    ErlDrvBinary *binary = driver_alloc_binary(10), *binaries[] = {NULL, binary};
    SysIOVec parts[] = {{NULL, 0}, {binary->orig_bytes, 0}};
    ErlIOVec vector = {2, 0, parts, binaries};
    switch (bytes[0]) {
    case 'b': driver_output_binary(port, "H", 1, binary, 0, 0); break;
    case 'c': driver_output_binary(port, "", 0, binary, 0, 0); break;
    case '2': driver_output2(port, "H", 1, "", 0); break;
    case 'n': driver_output2(port, "H", 1, NULL, 0); break;
    case 'o': driver_output(port, "", 0); break;
    case 'v': driver_outputv(port, "H", 1, &vector, 0); break;
    }
    driver_free_binary(binary);
}

static ErlDrvEntry entry = {.start = start,
                            .output = output,
                            .driver_name = "r_port_header",
                            .extended_marker = ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION};
DRIVER_INIT(r_port_header) { return &entry; }
