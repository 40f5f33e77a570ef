/* A driver whose queue is written at both ends, as it is told; it tells what is in it. */
#include <erl_driver.h>
#include <string.h>

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }

static void tell(ErlDrvPort port) {
    char text[16384];
    int count;
    ErlDrvSizeT size = 0;
    const SysIOVec *parts = driver_peekq(port, &count);
    for (int i = 0; i < count; i++) {
        memcpy(text + size, parts[i].iov_base, parts[i].iov_len);
        size += parts[i].iov_len;
    }
    driver_output(port, text, size);
}

/* Two parts of one binary, at an end. */
static void put_parts(ErlDrvPort port, char *bytes, ErlDrvSizeT size, int put(ErlDrvPort, ErlIOVec *, ErlDrvSizeT)) {
    ErlDrvBinary *binary = driver_alloc_binary(size + 1);
    binary->orig_bytes[0] = '-'; /* skipped */
    memcpy(binary->orig_bytes + 1, bytes, size);
    SysIOVec parts[] = {{NULL, 0}, {binary->orig_bytes, size}, {binary->orig_bytes + size, 1}};
    ErlDrvBinary *binaries[] = {NULL, binary, binary};
    put(port, &(ErlIOVec){3, size + 1, parts, binaries}, 1);
    driver_free_binary(binary);
}

/* The first byte says what, those behind it are the bytes; of 'd' as many are dropped. */
static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) {
    ErlDrvPort port = (ErlDrvPort)data;
    switch (*bytes) {
    case 'p': driver_pushq(port, bytes + 1, size - 1); break;
    case 'e': driver_enq(port, bytes + 1, size - 1); break;
    case 'P': put_parts(port, bytes + 1, size - 1, driver_pushqv); break;
    case 'E': put_parts(port, bytes + 1, size - 1, driver_enqv); break;
    case 'd': driver_deq(port, size - 1); break;
    default: tell(port);
    }
}

static void flush(ErlDrvData data) { driver_deq((ErlDrvPort)data, driver_sizeq((ErlDrvPort)data)); }

static ErlDrvEntry entry = {.start = start,
                            .output = output,
                            .flush = flush,
                            .driver_name = "r_port_queue_room",
                            .extended_marker = ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION};
DRIVER_INIT(r_port_queue_room) { return &entry; }
