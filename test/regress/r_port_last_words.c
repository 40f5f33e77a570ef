/* A driver that tells data in its `stop`; with something queued when it is closed, if it was told so. */
#include <erl_driver.h>

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }
static void output(ErlDrvData data, char *bytes, ErlDrvSizeT count) { driver_enq((ErlDrvPort)data, bytes, (int)count); }
static void flush(ErlDrvData data) { driver_deq((ErlDrvPort)data, driver_sizeq((ErlDrvPort)data)); }
static void stop(ErlDrvData data) { driver_output((ErlDrvPort)data, "last", 4); }

static ErlDrvEntry entry = {.start = start,
                            .stop = stop,
                            .output = output,
                            .flush = flush,
                            .driver_name = "r_port_last_words",
                            .extended_marker = ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION};
DRIVER_INIT(r_port_last_words) { return &entry; }
