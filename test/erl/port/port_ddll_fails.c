/* A driver whose init fails. */
#include "erl_driver.h"

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }
static void stop(ErlDrvData data) {}
static int init(void) { return -1; }

static ErlDrvEntry entry = {.init = init,
                            .start = start,
                            .stop = stop,
                            .driver_name = "port_ddll_fails",
                            .extended_marker = (int)ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION};

DRIVER_INIT(driver) { return &entry; }
