#include "port/port.h"

#include "process/registry.h"

#define QUEUE_HIGH 8192

PortOptions port_defaults = {.queue_high = QUEUE_HIGH, .queue_low = QUEUE_HIGH / 2};

_Atomic uint64_t ports_bytes_in, ports_bytes_out;

Port *port_at_name(Term t) {
    if (is_atom(t))
        t = registry_whereis(t);
    return is_value(t) ? port_at(t) : NULL;
}
