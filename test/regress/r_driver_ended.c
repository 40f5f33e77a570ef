/* A driver that says something when it has ended its port, or when it is stopped; and one that is asked while its port
 * closes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "erl_driver.h"

typedef struct {
    ErlDrvPort port;
    int speaks; /* in `stop` */
} Data;

static ErlDrvData start(ErlDrvPort port, char *command) {
    Data *d = calloc(1, sizeof *d);
    d->port = port;
    return (ErlDrvData)d;
}

static int term(ErlDrvPort port) {
    ErlDrvTermData spec[] = {ERL_DRV_ATOM, driver_mk_atom("a_term")};
    return erl_drv_output_term(driver_mk_port(port), spec, 2);
}

static void stop(ErlDrvData data) {
    Data *d = (Data *)data;
    if (d->speaks) {
        driver_output(d->port, "last", 4);
        term(d->port);
    }
    /* stock stops it within driver_failure: nothing is freed */
}

static void end(ErlDrvPort port, char how) {
    switch (how) {
    case 'f': driver_failure_atom(port, "failed"); break;
    case 'p': driver_failure_posix(port, 2); break;
    case 'e': driver_failure_eof(port); break;
    default: driver_exit(port, 0);
    }
}

static int end_and_speak(ErlDrvPort port, char how, char *answer, size_t room) {
    SysIOVec iov[2] = {{NULL, 0}, {(char *)"abc", 3}};
    ErlIOVec v = {2, 3, iov, NULL};
    driver_output(port, "before", 6);
    end(port, how);
    int output = driver_output(port, "behind", 6), vector = driver_outputv(port, "h", 1, &v, 0), terms = term(port);
    return snprintf(answer, room, "%d %d %d %d", output, vector, terms, driver_failure_atom(port, "again"));
}

static void skip_more(ErlDrvPort port) {
    SysIOVec iov[2] = {{NULL, 0}, {(char *)"abc", 3}};
    ErlIOVec v = {2, 3, iov, NULL};
    driver_outputv(port, "header", 6, &v, 5);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned what, char *bytes, ErlDrvSizeT size, char **answer,
                            ErlDrvSizeT room) {
    Data *d = (Data *)data;
    switch (what) {
    case 'e': return end_and_speak(d->port, bytes[0], *answer, room);
    case 's': d->speaks = 1; return 0;
    case 'q': driver_enq(d->port, bytes, size); return 0;
    case 'd': driver_deq(d->port, driver_sizeq(d->port)); return 0;
    case 'v': skip_more(d->port); return 0;
    default: return snprintf(*answer, room, "%ld", (long)driver_sizeq(d->port));
    }
}

static ErlDrvSSizeT call(ErlDrvData data, unsigned what, char *bytes, ErlDrvSizeT size, char **answer, ErlDrvSizeT room,
                         unsigned *flags) {
    memcpy(*answer, bytes, size);
    return (ErlDrvSSizeT)size;
}

static void flush(ErlDrvData data) {}

static ErlDrvEntry entry = {
    .driver_name = "r_driver_ended",
    .start = start,
    .stop = stop,
    .control = control,
    .call = call,
    .flush = flush,
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
    .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(r_driver_ended) { return &entry; }
