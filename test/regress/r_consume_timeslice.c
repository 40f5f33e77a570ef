/* A driver that gives back what it is given, and has used up as much of the slice as it is told to. */
#include "erl_driver.h"

typedef struct {
    ErlDrvPort port;
    int percent; /* 0: it says nothing */
} Eater;

static ErlDrvData start(ErlDrvPort port, char *command) {
    Eater *e = driver_alloc(sizeof *e);
    e->port = port;
    e->percent = 0;
    return (ErlDrvData)e;
}

static void stop(ErlDrvData data) { driver_free((void *)data); }

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) {
    const Eater *e = (const Eater *)data;
    if (e->percent > 0)
        erl_drv_consume_timeslice(e->port, e->percent);
    driver_output(e->port, bytes, size);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned command, char *bytes, ErlDrvSizeT size, char **result,
                            ErlDrvSizeT room) {
    ((Eater *)data)->percent = (int)command;
    return 0;
}

static ErlDrvEntry entry = {
    .start = start,
    .stop = stop,
    .output = output,
    .driver_name = "r_consume_timeslice",
    .control = control,
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
    .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(r_consume_timeslice) { return &entry; }
