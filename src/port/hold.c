#include "port/hold.h"

#include "alloc/alloc.h"
#include "port/line.h"
#include "port/value.h"

void port_release(Port *port) {
    if (atomic_fetch_sub(&port->holders, 1) != 1)
        return;
    driver_release(port->driver);
    line_free(port->line);
    kept_release(&port->reason);
    port_value_release(port);
    mem_free(ALLOC_PORT, port->name);
    mem_free(ALLOC_PORT, port);
}
