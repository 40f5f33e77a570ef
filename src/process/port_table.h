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
/* By the port, while it can still be found: in a list of all (below) that begins from now on it is not. */
void port_table_leave(Process *port, void (*gone)(Process *port));
/* Of one that was published and has left, or was only reserved. */
void port_table_remove(Term id);
/* NULL: there is no such port. Good until the caller's next quiescent point; so are those of each, as slots_each. */
Process *port_find(Term id);
void port_table_each(void (*each)(Process *port, void *data), void *data);

/* All ports of one moment, in the order of their slots, though others come and go: each has the count of those before
 * it; who leaves meanwhile, and was there at that moment, is noted. A change that a thread was making in that moment
 * comes before it or after it. Long work, as port_table_each. */
typedef struct PortList {
    struct PortList *next; /* of those that are being made: under LOCK_PORT_LISTS, as `ids` is until the list is made */
    uint64_t moment;
    Term *ids;
    size_t count, capacity;
} PortList;
/* `is_there`: has it not left? */
void port_list_make(PortList *list, bool (*is_there)(const Process *port));
void port_list_release(PortList *list);

/* The process or the port of this node that has the identifier; NULL: there is none. As process_find. */
static inline Process *actor_find(Term id) {
    return likely(is_local_pid(id)) ? process_find(id) : is_local_port(id) ? port_find(id) : NULL;
}

#endif
