#include "process/port_table.h"

#include <stdlib.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/slots.h"

static Slots ports;
static _Atomic uint64_t births;
static Mutex lists_lock = MUTEX_INITIALIZER(LOCK_PORT_LISTS);
static PortList *lists;
static _Atomic uint32_t lists_being_made;

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

void port_table_publish(Process *port) {
    port->unique = atomic_fetch_add(&births, 1) + 1;
    race_window("a port is counted, and not yet found");
    slots_publish(&ports, port_data(port->pid), port);
}

/* --- lists of all ------------------------------------------------------------------------------------------------ */

/* Under the lock. */
static void list_add(PortList *list, Term id) {
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->ids = mem_realloc(ALLOC_TEMP, list->ids, list->capacity * sizeof *list->ids);
    }
    list->ids[list->count++] = id;
}

static void note_leaving(const Process *port) {
    mutex_lock(&lists_lock);
    for (PortList *list = lists; list != NULL; list = list->next)
        if (port->unique <= list->moment)
            list_add(list, port->pid);
    mutex_unlock(&lists_lock);
}

/* Who begins a list counts it, then takes its moment; one that leaves looks at the count, then goes: if it does not
 * see the list it was going in that moment, and went before. If it does, it is noted before it goes, so it is met, or
 * noted, or both. */
void port_table_leave(Process *port, void (*gone)(Process *port)) {
    if (atomic_load(&lists_being_made) > 0)
        note_leaving(port);
    race_window("a port has been noted, and not yet left");
    gone(port);
}

static void list_begin(PortList *list) {
    *list = (PortList){.next = NULL};
    mutex_lock(&lists_lock);
    atomic_fetch_add(&lists_being_made, 1);
    list->moment = atomic_load(&births);
    list->next = lists;
    lists = list;
    mutex_unlock(&lists_lock);
}

static void list_end(PortList *list) {
    mutex_lock(&lists_lock);
    PortList **link = &lists;
    while (*link != list)
        link = &(*link)->next;
    *link = list->next;
    atomic_fetch_sub(&lists_being_made, 1);
    mutex_unlock(&lists_lock);
}

typedef struct {
    PortList *list;
    bool (*is_there)(const Process *port);
} Walk;

static void meet(Process *port, void *data) {
    Walk *walk = data;
    if (port->unique > walk->list->moment || !walk->is_there(port))
        return;
    mutex_lock(&lists_lock);
    list_add(walk->list, port->pid);
    mutex_unlock(&lists_lock);
}

static int compare_slots(const void *a, const void *b) {
    uint64_t x = port_data(*(const Term *)a), y = port_data(*(const Term *)b);
    uint64_t slot_x = x & ports.mask, slot_y = y & ports.mask;
    return slot_x != slot_y ? (slot_x < slot_y ? -1 : 1) : x < y ? -1 : x > y;
}

/* One that was met and then left is there twice. */
static void put_in_order(PortList *list) {
    if (list->count > 1)
        qsort(list->ids, list->count, sizeof *list->ids, compare_slots);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (i == 0 || list->ids[i] != list->ids[i - 1])
            list->ids[kept++] = list->ids[i];
    list->count = kept;
}

void port_list_make(PortList *list, bool (*is_there)(const Process *port)) {
    list_begin(list);
    race_window("a list of ports has its moment");
    slots_each(&ports, meet, &(Walk){list, is_there});
    list_end(list);
    put_in_order(list);
}

void port_list_release(PortList *list) { mem_free(ALLOC_TEMP, list->ids); }

/* --- the table --------------------------------------------------------------------------------------------------- */

void port_table_remove(Term id) {
    slots_hide(&ports, port_data(id));
    slots_give_back(&ports, port_data(id));
}

Process *port_find(Term id) {
    Process *p = slots_at(&ports, port_data(id));
    return p != NULL && p->pid == id ? p : NULL;
}

void port_table_each(void (*each)(Process *, void *), void *data) { slots_each(&ports, each, data); }
