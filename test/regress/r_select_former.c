/* A regular file, which is always ready: one port selects it and gives it up, and another selects it in the same
 * callback, before the first has been told. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "erl_driver.h"

typedef struct {
    ErlDrvPort port;
    const char *name;
} Data;

static Data *data_create(ErlDrvPort port, const char *name) {
    Data *d = calloc(1, sizeof *d);
    *d = (Data){port, name};
    return d;
}

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)data_create(port, "the first"); }
static void stop(ErlDrvData data) { free(data); }

static void ready_input(ErlDrvData data, ErlDrvEvent event) {
    Data *d = (Data *)data;
    driver_output(d->port, (char *)d->name, strlen(d->name));
    driver_select(d->port, event, ERL_DRV_READ, 0);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned what, char *bytes, ErlDrvSizeT size, char **answer,
                            ErlDrvSizeT room) {
    Data *d = (Data *)data, *other = data_create(NULL, "the other");
    int fd = open("/proc/self/exe", O_RDONLY);
    ErlDrvEvent event = (ErlDrvEvent)(intptr_t)fd;
    other->port = driver_create_port(d->port, driver_connected(d->port), "other", (ErlDrvData)other);
    driver_select(d->port, event, ERL_DRV_READ, 1);
    driver_select(d->port, event, ERL_DRV_READ, 0);
    driver_select(other->port, event, ERL_DRV_READ, 1);
    return 0;
}

static ErlDrvEntry entry = {
    .driver_name = "r_select_former",
    .start = start,
    .stop = stop,
    .control = control,
    .ready_input = ready_input,
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
    .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(r_select_former) { return &entry; }
