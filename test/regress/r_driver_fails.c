/* A driver that ends in the way that the first byte of what it is sent says, which it queues; or says a moment after its
 * start. */
#include <erl_driver.h>
#include <string.h>

#ifndef LATE
#define LATE(name) name
#define FLAGS 0
#endif
#define TEXT(name) #name
#define NAME_OF(name) TEXT(name)

typedef struct {
    ErlDrvPort port;
    char how;
} Data;

static ErlDrvData start(ErlDrvPort port, char *command) {
    Data *d = driver_alloc(sizeof *d);
    const char *word = strchr(command, ' ');
    d->port = port;
    d->how = word == NULL ? 0 : word[1];
    if (d->how != 0)
        driver_set_timer(port, 300);
    return (ErlDrvData)d;
}

static void stop(ErlDrvData data) { driver_free((Data *)data); }

static void end(ErlDrvPort port, char how) {
    switch (how) {
    case 'a': driver_failure_atom(port, "boom"); break;
    case 'p': driver_failure_posix(port, 32); break;
    case 'n': driver_failure(port, 7); break;
    case 'e': driver_failure_eof(port); break;
    case 'x': driver_exit(port, 32); break;
    case 'r': erl_drv_init_ack(port, ERL_DRV_ERROR_GENERAL); break;
    default: break;
    }
}

static void timeout(ErlDrvData data) { end(((Data *)data)->port, ((Data *)data)->how); }

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT count) {
    driver_enq(((Data *)data)->port, bytes, (int)count);
    end(((Data *)data)->port, bytes[0]);
}

static ErlDrvEntry entry = {.start = start,
                            .stop = stop,
                            .output = output,
                            .timeout = timeout,
                            .driver_name = (char *)NAME_OF(LATE(r_driver_fails)),
                            .extended_marker = ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
                            .driver_flags = FLAGS};
DRIVER_INIT(LATE(r_driver_fails)) { return &entry; }
