/* A driver of a version that is too old. */
#include "erl_driver.h"

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }
static void stop(ErlDrvData data) {}

static ErlDrvEntry entry = {.start = start,
                            .stop = stop,
                            .driver_name = "port_ddll_old",
                            .extended_marker = (int)ERL_DRV_EXTENDED_MARKER,
                            .major_version = 1,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION};

DRIVER_INIT(driver) { return &entry; }
