/* What drivers call: the queue of a port. Source: erl_driver(3). */
#include "port/port.h"

#include <string.h>

static Port *port_behind(ErlDrvPort port) { return (Port *)port; }
/* One that a thread of the driver's uses still, with the data lock. */
static bool is_gone(ErlDrvPort port) { return port_has_status(port_behind(port), PORT_GONE); }

int driver_enq(ErlDrvPort port, char *bytes, ErlDrvSizeT size) {
    if (is_gone(port))
        return -1;
    if (size > 0)
        io_vector_add_copy(&port_behind(port)->queue, bytes, size);
    return 0;
}

int driver_pushq(ErlDrvPort port, char *bytes, ErlDrvSizeT size) {
    if (is_gone(port))
        return -1;
    if (size > 0)
        io_vector_push_copy(&port_behind(port)->queue, bytes, size);
    return 0;
}

ErlDrvSizeT driver_deq(ErlDrvPort port, ErlDrvSizeT size) {
    Port *p = port_behind(port);
    if (is_gone(port) || size > p->queue.bytes)
        return (ErlDrvSizeT)-1;
    io_vector_drop(&p->queue, size);
    return p->queue.bytes;
}

ErlDrvSizeT driver_sizeq(ErlDrvPort port) { return is_gone(port) ? (ErlDrvSizeT)-1 : port_behind(port)->queue.bytes; }

static bool is_within(const ErlDrvBinary *b, ErlDrvSizeT offset, ErlDrvSizeT size) {
    return offset <= (ErlDrvSizeT)b->orig_size && size <= (ErlDrvSizeT)b->orig_size - offset;
}

int driver_enq_bin(ErlDrvPort port, ErlDrvBinary *binary, ErlDrvSizeT offset, ErlDrvSizeT size) {
    if (is_gone(port) || !is_within(binary, offset, size))
        return -1;
    if (size == 0)
        return 0;
    refc_binary_retain(driver_refc(binary));
    io_vector_add(&port_behind(port)->queue, binary, binary->orig_bytes + offset, size);
    return 0;
}

int driver_pushq_bin(ErlDrvPort port, ErlDrvBinary *binary, ErlDrvSizeT offset, ErlDrvSizeT size) {
    if (is_gone(port) || !is_within(binary, offset, size))
        return -1;
    if (size == 0)
        return 0;
    refc_binary_retain(driver_refc(binary));
    io_vector_push(&port_behind(port)->queue, binary, binary->orig_bytes + offset, size);
    return 0;
}

SysIOVec *driver_peekq(ErlDrvPort port, int *count) {
    IoVector *q = &port_behind(port)->queue;
    if (is_gone(port)) {
        *count = -1;
        return NULL;
    }
    *count = (int)(q->end - q->first);
    return *count == 0 ? NULL : q->iov + q->first;
}

ErlDrvSizeT driver_peekqv(ErlDrvPort port, ErlIOVec *bytes) {
    if (bytes == NULL || is_gone(port))
        return (ErlDrvSizeT)-1;
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

static void push_part(IoVector *q, const ErlIOVec *v, int i, ErlDrvSizeT skip) {
    char *bytes = (char *)v->iov[i].iov_base + skip;
    size_t size = v->iov[i].iov_len - skip;
    if (v->binv[i] == NULL) {
        io_vector_push_copy(q, bytes, size);
        return;
    }
    refc_binary_retain(driver_refc(v->binv[i]));
    io_vector_push(q, v->binv[i], bytes, size);
}

static ErlDrvSizeT bytes_of_parts(const ErlIOVec *v) {
    ErlDrvSizeT bytes = 0;
    for (int i = 0; i < v->vsize; i++)
        bytes += v->iov[i].iov_len;
    return bytes;
}

int driver_pushqv(ErlDrvPort port, ErlIOVec *bytes, ErlDrvSizeT skip) {
    if (is_gone(port) || skip > bytes->size)
        return -1;
    ErlDrvSizeT before = bytes_of_parts(bytes);
    for (int i = bytes->vsize; i-- > 0;) {
        ErlDrvSizeT size = bytes->iov[i].iov_len;
        before -= size;
        if (size > 0 && before + size > skip)
            push_part(&port_behind(port)->queue, bytes, i, skip > before ? skip - before : 0);
    }
    return 0;
}

int driver_enqv(ErlDrvPort port, ErlIOVec *bytes, ErlDrvSizeT skip) {
    if (is_gone(port) || skip > bytes->size)
        return -1;
    for (int i = 0; i < bytes->vsize; i++) {
        ErlDrvSizeT size = bytes->iov[i].iov_len;
        if (size > skip)
            add_part(&port_behind(port)->queue, bytes, i, skip);
        skip = size > skip ? 0 : skip - size;
    }
    return 0;
}
