/* What drivers call: the queue of a port. Source: erl_driver(3). */
#include "port/port.h"

#include <string.h>

static Port *port_behind(ErlDrvPort port) { return (Port *)port; }

int driver_enq(ErlDrvPort port, char *bytes, ErlDrvSizeT size) {
    if (size > 0)
        io_vector_add_copy(&port_behind(port)->queue, bytes, size);
    return 0;
}

int driver_pushq(ErlDrvPort port, char *bytes, ErlDrvSizeT size) {
    if (size > 0)
        io_vector_push_copy(&port_behind(port)->queue, bytes, size);
    return 0;
}

/* One that is closing goes on when all is written. */
ErlDrvSizeT driver_deq(ErlDrvPort port, ErlDrvSizeT size) {
    Port *p = port_behind(port);
    if (size > p->queue.bytes)
        return (ErlDrvSizeT)-1;
    io_vector_drop(&p->queue, size);
    if (p->queue.bytes == 0 && port_has_status(p, PORT_CLOSING))
        atomic_fetch_or(&p->actor.state, STATE_ACTIVE);
    return p->queue.bytes;
}

ErlDrvSizeT driver_sizeq(ErlDrvPort port) { return port_behind(port)->queue.bytes; }

static bool is_within(const ErlDrvBinary *b, ErlDrvSizeT offset, ErlDrvSizeT size) {
    return offset <= (ErlDrvSizeT)b->orig_size && size <= (ErlDrvSizeT)b->orig_size - offset;
}

int driver_enq_bin(ErlDrvPort port, ErlDrvBinary *binary, ErlDrvSizeT offset, ErlDrvSizeT size) {
    if (!is_within(binary, offset, size))
        return -1;
    refc_binary_retain(driver_refc(binary));
    io_vector_add(&port_behind(port)->queue, binary, binary->orig_bytes + offset, size);
    return 0;
}

int driver_pushq_bin(ErlDrvPort port, ErlDrvBinary *binary, ErlDrvSizeT offset, ErlDrvSizeT size) {
    if (!is_within(binary, offset, size))
        return -1;
    refc_binary_retain(driver_refc(binary));
    io_vector_push(&port_behind(port)->queue, binary, binary->orig_bytes + offset, size);
    return 0;
}

SysIOVec *driver_peekq(ErlDrvPort port, int *count) {
    IoVector *q = &port_behind(port)->queue;
    *count = (int)(q->end - q->first);
    return *count == 0 ? NULL : q->iov + q->first;
}

ErlDrvSizeT driver_peekqv(ErlDrvPort port, ErlIOVec *bytes) {
    IoVector *q = &port_behind(port)->queue;
    *bytes = (ErlIOVec){(int)(q->end - q->first), q->bytes, q->iov + q->first, q->binaries + q->first};
    return q->bytes;
}

/* A part whose binary nobody knows is copied. */
static void add_part(IoVector *q, const ErlIOVec *v, int i, ErlDrvSizeT skip) {
    char *bytes = (char *)v->iov[i].iov_base + skip;
    size_t size = v->iov[i].iov_len - skip;
    if (v->binv[i] == NULL) {
        io_vector_add_copy(q, bytes, size);
        return;
    }
    refc_binary_retain(driver_refc(v->binv[i]));
    io_vector_add(q, v->binv[i], bytes, size);
}

int driver_enqv(ErlDrvPort port, ErlIOVec *bytes, ErlDrvSizeT skip) {
    if (skip > bytes->size)
        return -1;
    for (int i = 0; i < bytes->vsize; i++) {
        ErlDrvSizeT size = bytes->iov[i].iov_len;
        if (size > skip)
            add_part(&port_behind(port)->queue, bytes, i, skip);
        skip = size > skip ? 0 : skip - size;
    }
    return 0;
}
