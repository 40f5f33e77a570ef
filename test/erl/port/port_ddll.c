/* A driver that does nothing: to be loaded and unloaded. */
#include "erl_driver.h"

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }
static void stop(ErlDrvData data) {}

static ErlDrvEntry entry = {.start = start,
                            .stop = stop,
                            .driver_name = "port_ddll",
                            .extended_marker = (int)ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION};

DRIVER_INIT(driver) { return &entry; }
