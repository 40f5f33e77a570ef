#include "port/trace.h"

#include <string.h>

#include "base/unicode.h"
#include "heap/heap.h"

/* What is longer than an atom may be is cut; what is not UTF-8 is Latin-1. */
static Term name_of(const Port *port) {
    const uint8_t *text = (const uint8_t *)port->name, *at = text, *end = text + strlen(port->name);
    uint32_t c;
    bool is_utf8 = true;
    for (int i = 0; i < ATOM_MAX_CHARACTERS && at < end && is_utf8; i++)
        is_utf8 = utf8_decode(&at, end, &c);
    size_t bytes = (size_t)(end - text);
    return is_utf8 ? atom_put(text, (size_t)(at - text), NULL)
                   : atom_put_latin1(text, bytes < ATOM_MAX_CHARACTERS ? bytes : ATOM_MAX_CHARACTERS, NULL);
}

/* Its epoch is that of now, when it is in the table already: trace/settle.h. */
void port_trace_open(Port *port, Term owner) {
    trace_spawned(NULL, &port->actor, false);
    Term name = port->actor.trace_flags & TRACE_PORTS ? name_of(port) : NON_VALUE;
    if (is_value(name)) /* or there is no room for more atoms */
        trace_event(&port->actor, TRACE_PORTS, EVENT_PORT_OPEN, owner, name);
}

void port_trace_closed(Port *port, Term reason) {
    trace_event(&port->actor, TRACE_PORTS, EVENT_PORT_CLOSED, reason, NON_VALUE);
}

/* {First, What}, or {First, {What, X}} */
static Term pair(Area *area, Term first, Term what, Term make(Area *area, const void *data), const void *data) {
    return area_tuple2(area, first, make == NULL ? what : area_tuple2(area, what, make(area, data)));
}

void port_trace_answer(Port *port, Term to, Term what, Term make(Area *area, const void *data), const void *data) {
    FragmentArea built;
    fragment_area_init(&built, 0);
    port_trace_send(port, pair(&built.area, port_id(port), what, make, data), to);
    fragment_area_drop(&built);
}

void port_trace_received(Port *port, Term from, Term what, Term make(Area *area, const void *data), const void *data) {
    FragmentArea built;
    fragment_area_init(&built, 0);
    Term message = pair(&built.area, from, what, make, data);
    trace_event(&port->actor, TRACE_RECEIVE, EVENT_RECEIVE, message, from);
    fragment_area_drop(&built);
}
