#include "port/value.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "term/atom.h"

/* Its memory stays until all who may have found it in the port have passed a quiescent point; the term until the last
 * hold is gone: one is the port's, and who copies it has one, as a long copy may be passed by. */
typedef struct PortValue {
    ProgressNode progress;
    _Atomic uint32_t holds;
    Kept kept;
} PortValue;

static void free_later(ProgressNode *node) { mem_free(ALLOC_PORT, container_of(node, PortValue, progress)); }

static void release(PortValue *v) {
    if (v == NULL || atomic_fetch_sub(&v->holds, 1) != 1)
        return;
    kept_release(&v->kept);
    v->progress.run = free_later;
    thread_progress_later(&v->progress);
}

/* False: it has just been exchanged for another. */
static bool hold(PortValue *v) {
    uint32_t holds = atomic_load(&v->holds);
    while (holds > 0 && !atomic_compare_exchange_weak(&v->holds, &holds, holds + 1)) {
    }
    return holds > 0;
}

void port_value_set(Port *port, Kept value) {
    PortValue *v = mem_calloc(ALLOC_PORT, sizeof *v);
    atomic_init(&v->holds, 1);
    v->kept = value;
    release(atomic_exchange(&port->value, v));
}

Term port_value_get(Port *port, Area *area) {
    PortValue *v;
    do {
        v = atomic_load(&port->value);
        race_window("a port's term is found, and not yet held");
    } while (v != NULL && !hold(v));
    if (v == NULL)
        return am_undefined;
    Term copy = kept_copy(&v->kept, area);
    release(v);
    return copy;
}

void port_value_release(Port *port) { release(atomic_exchange(&port->value, NULL)); }
