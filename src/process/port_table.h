/*
 * The port table: from a port's identifier to the actor (process/actor.h) that has it, as process/slots.h tells. The
 * folder port/ alone puts something there.
 */
#ifndef VIV_PROCESS_PORT_TABLE_H
#define VIV_PROCESS_PORT_TABLE_H

#include "process/process.h"

#define PORT_LIMIT_MIN 1024
#define PORT_LIMIT_DEFAULT 65536
#define PORT_LIMIT_MAX 134217727

/* `limit` is rounded up to a power of two. */
void port_table_init(size_t limit);
size_t port_table_limit(void);
size_t port_table_count(void);
/* NON_VALUE: the table is full. */
Term port_table_reserve(void);
void port_table_publish(Process *port);
/* As process_table_next and process_table_number_from. */
uint64_t port_table_next(void);
void port_table_number_from(uint64_t first);
/* By the port, while it can still be found: ends it with `end`; who counts from now on counts it no more. */
void port_table_end(Process *port, bool (*is_there)(const Process *port), void (*end)(Process *port, uint32_t));
/* Of one that was published and has left, or was only reserved. */
void port_table_remove(Term id);
/* NULL: there is no such port. Good until the caller's next quiescent point; so are those of each, as slots_each. */
Process *port_find(Term id);
void port_table_each(void (*each)(Process *port, void *data), void *data);

/* The identifiers of all ports that are there, at one moment (process/census.h). */
void port_table_count_all(bool (*is_there)(const Process *port), void (*each)(Term port, void *data), void *data);

/* The process or the port of this node that has the identifier; NULL: there is none. As process_find. */
static inline Process *actor_find(Term id) {
    return likely(is_local_pid(id)) ? process_find(id) : is_local_port(id) ? port_find(id) : NULL;
}

#endif
