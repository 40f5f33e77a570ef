/* A job of it goes on until a file is there, whose name it was given; a port's queue is never written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "erl_driver.h"

static ErlDrvTermData watcher;

/* One that fails tells first that it starts. */
static ErlDrvData start(ErlDrvPort port, char *command) {
    if (strstr(command, "fails") == NULL)
        return (ErlDrvData)port;
    ErlDrvTermData told[] = {
        ERL_DRV_ATOM, driver_mk_atom("starting"), ERL_DRV_PORT, driver_mk_port(port), ERL_DRV_TUPLE, 2};
    erl_drv_send_term(driver_mk_port(port), watcher, told, 6);
    usleep(10000);
    errno = ENOENT;
    return ERL_DRV_ERROR_ERRNO;
}

static void job(void *path) {
    while (access(path, F_OK) != 0)
        usleep(2000);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned what, char *bytes, ErlDrvSizeT size, char **answer,
                            ErlDrvSizeT room) {
    ErlDrvPort port = (ErlDrvPort)data;
    if (what == 'j') {
        char *path = calloc(1, size + 1);
        memcpy(path, bytes, size);
        driver_async(port, NULL, job, path, free);
    } else if (what == 'q') {
        driver_enq(port, bytes, size);
    } else if (what == 'w') {
        watcher = driver_caller(port);
    } else if (what == 'k') {
        driver_lock_driver(port);
    }
    return 0;
}

static void ready_async(ErlDrvData data, ErlDrvThreadData path) { free(path); }
static void flush(ErlDrvData data) {}

static ErlDrvEntry entry = {
    .driver_name = "r_driver_killed",
    .start = start,
    .control = control,
    .flush = flush,
    .ready_async = ready_async,
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
    .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(r_driver_killed) { return &entry; }
