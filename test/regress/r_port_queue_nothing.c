/* A driver that says how many parts its queue has after nothing was put in, one way and another. */
#include <erl_driver.h>
#include <stdio.h>

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }

static int parts(ErlDrvPort port) {
    int count;
    (void)driver_peekq(port, &count);
    return count;
}

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) {
    ErlDrvPort port = (ErlDrvPort)data;
    ErlDrvBinary *binary = driver_alloc_binary(4);
    SysIOVec part = {binary->orig_bytes, 0};
    ErlIOVec vector = {1, 0, &part, &binary};
    char text[200];
    int at = 0;
    for (int round = 0; round < 2; round++) {
        at += sprintf(text + at, "%d:%d ", driver_enq(port, bytes, 0), parts(port));
        at += sprintf(text + at, "%d:%d ", driver_pushq(port, bytes, 0), parts(port));
        at += sprintf(text + at, "%d:%d ", driver_enq_bin(port, binary, 0, 0), parts(port));
        at += sprintf(text + at, "%d:%d ", driver_pushq_bin(port, binary, 4, 0), parts(port));
        at += sprintf(text + at, "%d:%d ", driver_enqv(port, &vector, 0), parts(port));
        at += sprintf(text + at, "%d:%d ", driver_pushqv(port, &vector, 0), parts(port));
        at += sprintf(text + at, "%ld %ld ", (long)driver_sizeq(port), (long)driver_binary_get_refc(binary));
        driver_enq_bin(port, binary, 0, 4);
    }
    driver_deq(port, driver_sizeq(port));
    driver_free_binary(binary);
    driver_output(port, text, at);
}

static ErlDrvEntry entry = {.start = start,
                            .output = output,
                            .driver_name = "r_port_queue_nothing",
                            .extended_marker = ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION};
DRIVER_INIT(r_port_queue_nothing) { return &entry; }
