#include "bif/system/internal_state.h"

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "distribution/alive.h"
#include "distribution/connect.h"
#include "distribution/lose.h"
#include "process/node_monitors.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/node.h"

/* --- Who refers to nodes and to connections --- */

typedef struct {
    Area *area;
    Term list;
} Entries;

/* {What, Count, [{{system, By}, [{Kind, Count}]}]}: they are counted, but it is not written down who has one. */
static void add_counted(Entries *to, Term what, Term by, Term kind, int64_t count) {
    Area *area = to->area;
    Term counted = integer_from_int64(area, count);
    Term kinds = area_cons(area, area_tuple2(area, kind, counted), NIL);
    Term referrer = area_tuple2(area, area_tuple2(area, am_system, by), kinds);
    to->list = area_cons(area, area_tuple3(area, what, counted, area_cons(area, referrer, NIL)), to->list);
}

typedef struct {
    Term name;
    uint32_t creation;
    int64_t count;
} Counted;

/* Terms are built when the lock of the table is given back. */
typedef struct {
    Counted *counted;
    size_t count, capacity;
} AllCounted;

static void add_node(const Node *node, void *data) {
    AllCounted *all = data;
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 8;
        all->counted = mem_realloc(ALLOC_TEMP, all->counted, all->capacity * sizeof(Counted));
    }
    all->counted[all->count++] = (Counted){node->name, node->creation, atomic_load(&node->refc)};
}

static Term node_references(Area *area) {
    AllCounted all = {NULL, 0, 0};
    Entries entries = {area, NIL};
    node_each(add_node, &all);
    for (size_t i = 0; i < all.count; i++) {
        Term creation = integer_from_uint64(area, all.counted[i].creation);
        Term node = area_tuple2(area, all.counted[i].name, creation);
        add_counted(&entries, node, am_terms, am_term, all.counted[i].count);
    }
    mem_free(ALLOC_TEMP, all.counted);
    return area_tuple2(area, am_node_references, entries.list);
}

/* One that nobody holds any more is about to go. */
static void add_connection(Entry *entry, void *data) {
    const Channel *c = entry_channel(entry);
    uint32_t holders = c == NULL ? 0 : atomic_load(&c->holders);
    if (holders > 0)
        add_counted(data, entry->name, am_connection, am_control, holders);
}

static Term dist_references(Area *area) {
    Entries entries = {area, NIL};
    entries_each(add_connection, &entries);
    return area_tuple2(area, am_dist_references, entries.list);
}

Term inside_node_references(Process *p, Term none) {
    Area *area = process_area(p);
    Term nodes = node_references(area);
    return area_tuple2(area, nodes, dist_references(area));
}

/* --- Connections --- */

/* NULL: there is none; so for what is no atom. */
static const Channel *up_channel(Term node) { return is_atom(node) ? entry_up_channel(entry_find(node)) : NULL; }

/* The port or process that carries it. */
Term inside_controller(Process *p, Term node) {
    const Channel *c = up_channel(node);
    return c != NULL ? c->controller : am_undefined;
}

Term inside_connection_id(Process *p, Term node) {
    const Channel *c = up_channel(node);
    return c != NULL ? small_make(c->id) : fail_badarg(p);
}

Term inside_kill_connection(Process *p, Term node) {
    Channel *c = is_atom(node) ? connect_there(node) : NULL;
    if (c == NULL)
        return bool_term(node == node_this_name());
    bool is_up = channel_has_status(c, CHANNEL_UP);
    if (is_up)
        channel_abandon(c);
    channel_release(c);
    return bool_term(is_up);
}

Term inside_withhold(Process *p, Term abilities) {
    uint64_t withheld;
    if (!integer_to_uint64(abilities, &withheld) || (withheld & ~(uint64_t)CAPABILITIES_HOPEFUL) != 0)
        return fail_badarg(p);
    capabilities_withhold(withheld);
    return am_ok;
}

/* A name is known by terms of such a node, or as that of one to which somebody has wanted a connection. */
bool inside_is_known(Term name) {
    Node *node = node_find_index(atom_index(name));
    if (node != NULL)
        node_release(node);
    return node != NULL || entry_find(name) != NULL;
}

Term inside_channel_number(Process *p, Term node) {
    if (node == node_this_name())
        return small_make(0);
    return is_atom(node) && inside_is_known(node) ? small_make(atom_index(node)) : am_undefined;
}

/* Atoms of one set take each other's slots in the cache of a connection. */
Term inside_last_atom_set(Process *p, Term none) { return small_make(ATOM_CACHE_SETS - 1); }

Term inside_atom_set(Process *p, Term atom) {
    return is_atom(atom) ? small_make((SWord)atom_cache_out_set(atom_index(atom))) : fail_badarg(p);
}

/* --- Who monitors nodes --- */

static Term monitor_options(Area *area, const NodeMonitorOptions *o) {
    static const Term types[NODE_TYPE_COUNT] = {
        [NODES_VISIBLE] = am_visible, [NODES_HIDDEN] = am_hidden, [NODES_ALL] = am_all};
    Term list = NIL;
    if (o->wants_connection)
        list = area_cons(area, am_connection_id, list);
    if (o->wants_reason)
        list = area_cons(area, am_nodedown_reason, list);
    if (o->type != NODES_UNSAID)
        list = area_cons(area, area_tuple2(area, am_node_type, types[o->type]), list);
    return list;
}

/* [{Pid, Options}], as often as each counts. */
Term inside_node_monitors(Process *p, Term none) {
    Area *area = process_area(p);
    Term list = NIL;
    NodeMonitorWalk walk;
    node_monitors_walk(&walk);
    while (node_monitors_next(&walk))
        for (const NodeMonitor *one = &walk.one; walk.one.count > 0; walk.one.count--)
            list = area_cons(area, area_tuple2(area, one->pid, monitor_options(area, &one->options)), list);
    return list;
}
