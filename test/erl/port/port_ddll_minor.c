/* A driver of a later minor version. */
#include "erl_driver.h"

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }
static void stop(ErlDrvData data) {}

static ErlDrvEntry entry = {.start = start,
                            .stop = stop,
                            .driver_name = "port_ddll_minor",
                            .extended_marker = (int)ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = 99};

DRIVER_INIT(driver) { return &entry; }
