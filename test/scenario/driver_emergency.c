/* A driver that says what the runtime calls at its end. test/scenario/driver_emergency reads what it prints. */
#include <string.h>
#include <unistd.h>

#include "erl_driver.h"

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }

static void say(const char *what) {
    if (write(1, what, strlen(what)) < 0)
        _exit(99);
}

static void stop(ErlDrvData data) { say("stop "); }
static void emergency_close(ErlDrvData data) { say("emergency_close "); }

static ErlDrvEntry entry = {
    .start = start,
    .stop = stop,
    .driver_name = "driver_emergency",
    .emergency_close = emergency_close,
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

DRIVER_INIT(driver_emergency) { return &entry; }
