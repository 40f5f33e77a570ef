/* A driver that notes what it is given, and is busy when it is told so. */
#include <string.h>

#include "erl_driver.h"

typedef struct {
    ErlDrvPort port;
    size_t used;
    char noted[1000];
} Held;

static ErlDrvData start(ErlDrvPort port, char *command) {
    Held *h = driver_alloc(sizeof *h);
    h->port = port;
    h->used = 0;
    return (ErlDrvData)h;
}

static void stop(ErlDrvData data) { driver_free((void *)data); }

static void note(Held *h, const char *bytes, size_t size) {
    if (h->used + size > sizeof h->noted)
        return;
    memcpy(h->noted + h->used, bytes, size);
    h->used += size;
}

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) {
    Held *h = (Held *)data;
    note(h, bytes, size);
    if (size > 0 && bytes[0] == 'B')
        set_busy_port(h->port, 1);
    if (size > 0 && bytes[0] == 'F')
        set_busy_port(h->port, 0);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned command, char *bytes, ErlDrvSizeT size, char **result,
                            ErlDrvSizeT room) {
    Held *h = (Held *)data;
    switch (command) {
    case 'b': set_busy_port(h->port, 1); return 0;
    case 'f': set_busy_port(h->port, 0); return 0;
    case 'n': note(h, bytes, size); return 0;
    default: break;
    }
    ErlDrvSSizeT n = h->used;
    if (n > room)
        *result = driver_alloc(n);
    memcpy(*result, h->noted, n);
    h->used = 0;
    return n;
}

static ErlDrvEntry entry = {
    .start = start,
    .stop = stop,
    .output = output,
    .control = control,
    .driver_name = "r_port_kept_back",
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
    .driver_flags = ERL_DRV_FLAG_SOFT_BUSY,
};

DRIVER_INIT(r_port_kept_back) { return &entry; }
