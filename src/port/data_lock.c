#include "port/data_lock.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "port/hold.h"

struct erl_drv_port_data_lock {
    pthread_mutex_t mutex;
    Port *port; /* held */
    _Atomic ErlDrvSInt count;
};

/* Who has it has a count, too: so the others may be given back meanwhile. */
void driver_pdl_lock(ErlDrvPDL l) {
    (void)driver_pdl_inc_refc(l);
    pthread_mutex_lock(&l->mutex);
}

void driver_pdl_unlock(ErlDrvPDL l) {
    pthread_mutex_unlock(&l->mutex);
    race_window("a port data lock is given up, and still counted");
    (void)driver_pdl_dec_refc(l);
}

/* The runtime's own use: the port's count is there meanwhile. */
static void take(const Port *port) {
    if (port->data_lock != NULL)
        pthread_mutex_lock(&port->data_lock->mutex);
}
static void leave(const Port *port) {
    if (port->data_lock != NULL)
        pthread_mutex_unlock(&port->data_lock->mutex);
}

ErlDrvSInt driver_pdl_get_refc(ErlDrvPDL l) { return atomic_load(&l->count); }
ErlDrvSInt driver_pdl_inc_refc(ErlDrvPDL l) { return atomic_fetch_add(&l->count, 1) + 1; }

ErlDrvSInt driver_pdl_dec_refc(ErlDrvPDL l) {
    ErlDrvSInt left = atomic_fetch_sub(&l->count, 1) - 1;
    if (left == 0) {
        pthread_mutex_destroy(&l->mutex);
        port_release(l->port);
        mem_free(ALLOC_PORT, l);
    }
    return left;
}

ErlDrvPDL driver_pdl_create(ErlDrvPort handle) {
    Port *port = (Port *)handle;
    if (port->data_lock != NULL || port_has_status(port, PORT_GONE))
        return NULL;
    ErlDrvPDL l = mem_alloc(ALLOC_PORT, sizeof *l);
    pthread_mutex_init(&l->mutex, NULL);
    l->port = port;
    port_hold(port);
    atomic_init(&l->count, 1);
    port->data_lock = l;
    return l;
}

size_t port_queue_bytes(const Port *port) {
    take(port);
    size_t bytes = port->queue.bytes;
    leave(port);
    return bytes;
}

size_t port_queue_memory(const Port *port) {
    take(port);
    const IoVector *queue = &port->queue;
    size_t memory = queue->capacity * (sizeof *queue->iov + sizeof *queue->binaries) + queue->bytes;
    leave(port);
    return memory;
}

void port_queue_each(const Port *port, void (*each)(RefcBinary *binary, void *data), void *data) {
    const IoVector *queue = &port->queue;
    take(port);
    for (size_t i = queue->first; i < queue->end; i++)
        if (queue->binaries[i] != NULL)
            each(driver_refc(queue->binaries[i]), data);
    leave(port);
}

void port_queue_release(Port *port) {
    take(port);
    atomic_fetch_or(&port->status, PORT_GONE);
    io_vector_release(&port->queue);
    leave(port);
    if (port->data_lock != NULL)
        (void)driver_pdl_dec_refc(port->data_lock);
    port->data_lock = NULL;
}
