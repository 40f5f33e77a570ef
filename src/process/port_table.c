#include "process/port_table.h"

#include "process/slots.h"

static Slots ports;

void port_table_init(size_t limit) {
    size_t size = PORT_LIMIT_MIN;
    while (size < limit && size < PORT_LIMIT_MAX)
        size *= 2;
    slots_init(&ports, size, ALLOC_PORT, NULL);
}

size_t port_table_limit(void) { return slots_limit(&ports); }
size_t port_table_count(void) { return slots_count(&ports); }

Term port_table_reserve(void) {
    uint64_t number = slots_reserve(&ports);
    return number == NUMBER_NONE ? NON_VALUE : port_make(number);
}

void port_table_publish(Process *port) { slots_publish(&ports, port_data(port->pid), port); }

void port_table_remove(Term id) {
    slots_hide(&ports, port_data(id));
    slots_give_back(&ports, port_data(id));
}

Process *port_find(Term id) {
    Process *p = slots_at(&ports, port_data(id));
    return p != NULL && p->pid == id ? p : NULL;
}

void port_table_each(void (*each)(Process *, void *), void *data) { slots_each(&ports, each, data); }
