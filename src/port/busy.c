#include "port/busy.h"

#include "alloc/alloc.h"
#include "process/request.h"
#include "term/atom.h"

typedef struct PortWaiting {
    struct PortWaiting *next;
    Term pid;
    uint64_t request;
} PortWaiting;

void port_wake_waiting(Port *port) {
    PortWaiting *w = port->waiting;
    port->waiting = NULL;
    for (PortWaiting *next; w != NULL; w = next) {
        next = w->next;
        request_reply(w->pid, w->request, am_ready);
        mem_free(ALLOC_PORT, w);
    }
}

Term port_who_wait(const Port *port, Area *area) {
    Term list = NIL;
    for (const PortWaiting *w = port->waiting; w != NULL; w = w->next)
        list = area_cons(area, w->pid, list);
    return list;
}

static void wake_if_free(Port *port) {
    if (likely(port->waiting == NULL && port->peer == NULL) || port_is_busy(port))
        return;
    port_wake_waiting(port);
    if (port->peer != NULL)
        port->peer->is_free(port->peer);
}

void port_set_busy(Port *port, bool is_busy) {
    if (is_busy)
        atomic_fetch_or(&port->status, PORT_BUSY);
    else
        atomic_fetch_and(&port->status, ~(uint32_t)PORT_BUSY);
    if (unlikely(port->kept_back != NULL) && !is_busy)
        atomic_fetch_or(&port->actor.state, STATE_ACTIVE);
    wake_if_free(port);
}

static void queue_is_free(Port *port) {
    atomic_fetch_and(&port->status, ~(uint32_t)PORT_QUEUE_BUSY);
    wake_if_free(port);
}

void port_set_queue_limits(Port *port, size_t low, size_t high) {
    atomic_store_explicit(&port->queue_low, low, memory_order_relaxed);
    atomic_store_explicit(&port->queue_high, high, memory_order_relaxed);
    if (port_has_status(port, PORT_QUEUE_BUSY) && atomic_load(&port->bytes_waiting) <= low)
        queue_is_free(port);
}

void port_wait(Port *port, Term pid, uint64_t request) {
    PortWaiting *w = mem_alloc(ALLOC_PORT, sizeof *w);
    *w = (PortWaiting){NULL, pid, request};
    *(port->waiting == NULL ? &port->waiting : port->waiting_end) = w;
    port->waiting_end = &w->next;
    if (!port_is_busy(port) || port_has_status(port, PORT_CLOSING))
        port_wake_waiting(port);
}

/* It is set before the command is there: so it is cleared when that has been handled, at the latest. */
void port_bytes_come(Port *port, size_t bytes) {
    size_t now = atomic_fetch_add(&port->bytes_waiting, bytes) + bytes;
    if (now >= atomic_load_explicit(&port->queue_high, memory_order_relaxed))
        atomic_fetch_or(&port->status, PORT_QUEUE_BUSY);
}

void port_bytes_gone(Port *port, size_t bytes) {
    size_t now = atomic_fetch_sub(&port->bytes_waiting, bytes) - bytes;
    if (now <= atomic_load_explicit(&port->queue_low, memory_order_relaxed) && port_has_status(port, PORT_QUEUE_BUSY))
        queue_is_free(port);
}
