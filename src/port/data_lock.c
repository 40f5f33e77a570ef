#include "port/data_lock.h"

#include "alloc/alloc.h"

struct erl_drv_port_data_lock {
    pthread_mutex_t mutex;
    _Atomic ErlDrvSInt count;
};

void driver_pdl_lock(ErlDrvPDL l) { pthread_mutex_lock(&l->mutex); }
void driver_pdl_unlock(ErlDrvPDL l) { pthread_mutex_unlock(&l->mutex); }
ErlDrvSInt driver_pdl_get_refc(ErlDrvPDL l) { return atomic_load(&l->count); }
ErlDrvSInt driver_pdl_inc_refc(ErlDrvPDL l) { return atomic_fetch_add(&l->count, 1) + 1; }

ErlDrvSInt driver_pdl_dec_refc(ErlDrvPDL l) {
    ErlDrvSInt left = atomic_fetch_sub(&l->count, 1) - 1;
    if (left == 0) {
        pthread_mutex_destroy(&l->mutex);
        mem_free(ALLOC_PORT, l);
    }
    return left;
}

ErlDrvPDL driver_pdl_create(ErlDrvPort handle) {
    Port *port = (Port *)handle;
    if (port->data_lock != NULL)
        return NULL;
    ErlDrvPDL l = mem_alloc(ALLOC_PORT, sizeof *l);
    pthread_mutex_init(&l->mutex, NULL);
    atomic_init(&l->count, 1);
    port->data_lock = l;
    return l;
}

size_t port_queue_bytes(const Port *port) {
    if (port->data_lock == NULL)
        return port->queue.bytes;
    driver_pdl_lock(port->data_lock);
    size_t bytes = port->queue.bytes;
    driver_pdl_unlock(port->data_lock);
    return bytes;
}

void port_queue_each(const Port *port, void (*each)(RefcBinary *binary, void *data), void *data) {
    const IoVector *queue = &port->queue;
    if (port->data_lock != NULL)
        driver_pdl_lock(port->data_lock);
    for (size_t i = queue->first; i < queue->end; i++)
        if (queue->binaries[i] != NULL)
            each(driver_refc(queue->binaries[i]), data);
    if (port->data_lock != NULL)
        driver_pdl_unlock(port->data_lock);
}

void port_queue_release(Port *port) {
    ErlDrvPDL l = port->data_lock;
    if (l != NULL)
        driver_pdl_lock(l);
    atomic_fetch_or(&port->status, PORT_GONE);
    io_vector_release(&port->queue);
    if (l != NULL)
        driver_pdl_unlock(l);
}

void port_data_lock_release(Port *port) {
    if (port->data_lock != NULL)
        (void)driver_pdl_dec_refc(port->data_lock);
}
