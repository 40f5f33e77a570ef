#include "process/port_table.h"

#include "base/race_window.h"
#include "process/census.h"
#include "process/slots.h"

static Slots ports;
static Censuses censuses;

void port_table_init(size_t limit) {
    size_t size = PORT_LIMIT_MIN;
    while (size < limit && size < PORT_LIMIT_MAX)
        size *= 2;
    slots_init(&ports, size, ALLOC_PORT, NULL);
    censuses_init(&censuses, &ports);
}

size_t port_table_limit(void) { return slots_limit(&ports); }
size_t port_table_count(void) { return slots_count(&ports); }

Term port_table_reserve(void) {
    uint64_t number = slots_reserve(&ports);
    return number == NUMBER_NONE ? NON_VALUE : port_make(number);
}

uint64_t port_table_next(void) { return slots_next(&ports); }
void port_table_number_from(uint64_t first) { slots_number_from(&ports, first); }

void port_table_publish(Process *port) {
    census_note_birth(&censuses, port);
    race_window("a port has its birth, and is not yet found");
    slots_publish(&ports, port_data(port->pid), port);
}

void port_table_end(Process *port, bool (*is_there)(const Process *), void (*end)(Process *, uint32_t)) {
    census_note_end(&censuses, port, port_data(port->pid), is_there, end, 0);
}

void port_table_count_all(bool (*is_there)(const Process *), void (*each)(Term, void *), void *data) {
    census_take(&censuses, is_there, each, data);
}

void port_table_remove(Term id) {
    slots_hide(&ports, port_data(id));
    slots_give_back(&ports, port_data(id));
}

Process *port_find(Term id) {
    Process *p = slots_at(&ports, port_data(id));
    return p != NULL && p->pid == id ? p : NULL;
}

void port_table_each(void (*each)(Process *, void *), void *data) { slots_each(&ports, each, data); }
