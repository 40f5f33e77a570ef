/* A driver that takes its time where it is told to, or is busy. */
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "erl_driver.h"

static void take_time(void) {
    struct timespec left = {0, 150000000};
    while (nanosleep(&left, &left) != 0) {
    }
}

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }
static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) {}
static void timeout(ErlDrvData data) { take_time(); }

static void ready_input(ErlDrvData data, ErlDrvEvent event) {
    take_time();
    driver_select((ErlDrvPort)data, event, ERL_DRV_READ, 0);
}

static void ready_output(ErlDrvData data, ErlDrvEvent event) {
    take_time();
    driver_select((ErlDrvPort)data, event, ERL_DRV_WRITE, 0);
}

static void stop_select(ErlDrvEvent event, void *unused) {}

static void select_new(ErlDrvPort port, int mode) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && write(ends[1], "x", 1) == 1)
        driver_select(port, (ErlDrvEvent)(long)ends[0], mode, 1);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned command, char *bytes, ErlDrvSizeT size, char **result,
                            ErlDrvSizeT room) {
    ErlDrvPort port = (ErlDrvPort)data;
    switch (command) {
    case 't': driver_set_timer(port, 1); break;
    case 'i': select_new(port, ERL_DRV_READ); break;
    case 'o': select_new(port, ERL_DRV_WRITE); break;
    case 'b': set_busy_port(port, 1); break;
    case 'f': set_busy_port(port, 0); break;
    default: break;
    }
    return 0;
}

static ErlDrvEntry entry = {
    .start = start,
    .output = output,
    .timeout = timeout,
    .ready_input = ready_input,
    .ready_output = ready_output,
    .stop_select = stop_select,
    .control = control,
    .driver_name = "r_watched_ports",
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

DRIVER_INIT(r_watched_ports) { return &entry; }
