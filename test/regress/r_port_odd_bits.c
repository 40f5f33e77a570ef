/* Two drivers that say how many bytes they are given: this, in a row; r_port_odd_bits_v, as parts. */
#include <erl_driver.h>
#include <stdio.h>

#ifndef ENTRY
#define ENTRY .output = output, .driver_name = "r_port_odd_bits"
#endif

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }

static void tell(ErlDrvData data, ErlDrvSizeT bytes) {
    char text[32];
    driver_output((ErlDrvPort)data, text, sprintf(text, "%d", (int)bytes));
}

__attribute__((unused)) static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) { tell(data, size); }
__attribute__((unused)) static void outputv(ErlDrvData data, ErlIOVec *bytes) { tell(data, bytes->size); }

static ErlDrvEntry entry = {.start = start,
                            .extended_marker = ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
                            ENTRY};
DRIVER_INIT(r_port_odd_bits) { return &entry; }
