/*
 * Nodes: this one, and those whose identifiers are known; no other can be reached yet.
 * Source: erlang(3) nodes/0,1,2, monitor_node/2,3.
 */
#include "bif/argument.h"
#include "bif_table.h"
#include "distribution/alive.h"
#include "process/message.h"
#include "term/atom.h"
#include "term/map.h"
#include "term/node.h"

typedef struct {
    bool this, known;
} NodeKinds;

static bool node_kind(NodeKinds *kinds, Term kind) {
    switch (kind) {
    case am_this: kinds->this = true; return true;
    case am_known: kinds->known = true; return true;
    case am_visible:
    case am_hidden:
    case am_connected: return true;
    default: return false;
    }
}

static bool node_kinds(NodeKinds *kinds, Term t) {
    *kinds = (NodeKinds){false, false};
    if (is_atom(t))
        return node_kind(kinds, t);
    for (; is_list(t); t = list_tail(t))
        if (!node_kind(kinds, list_head(t)))
            return false;
    return is_nil(t);
}

typedef struct {
    Area *area;
    Term list;
} Names;

/* There is a Node for each creation of a name; names are given once. */
static void add_name(const Node *node, void *data) {
    Names *names = data;
    for (Term l = names->list; is_list(l); l = list_tail(l))
        if (list_head(l) == node->name)
            return;
    names->list = area_cons(names->area, node->name, names->list);
}

static Term node_names(Process *p, const NodeKinds *kinds) {
    Names names = {process_area(p), NIL};
    if (kinds->this || kinds->known)
        names.list = area_cons(names.area, node_this_name(), NIL);
    if (kinds->known)
        node_each(add_name, &names);
    return names.list;
}

Term erlang_nodes_0(Process *p, const Term *a) { return NIL; }

Term erlang_nodes_1(Process *p, const Term *a) {
    NodeKinds kinds;
    return node_kinds(&kinds, a[0]) ? node_names(p, &kinds) : fail_badarg(p);
}

typedef struct {
    bool connection_id, node_type;
} NodeItems;

static bool node_items(NodeItems *items, Term map) {
    Term key, value;
    MapIterator it;
    *items = (NodeItems){false, false};
    if (!is_map(map))
        return false;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);) {
        if ((key != am_connection_id && key != am_node_type) || (value != am_true && value != am_false))
            return false;
        *(key == am_node_type ? &items->node_type : &items->connection_id) = value == am_true;
    }
    return true;
}

static Term node_info(Area *area, Term name, const NodeItems *items) {
    Term map = map_empty(area);
    if (items->connection_id)
        map = map_put(area, map, am_connection_id, am_undefined);
    if (items->node_type)
        map = map_put(area, map, am_node_type, name == node_this_name() ? am_this : am_known);
    return area_tuple2(area, name, map);
}

Term erlang_nodes_2(Process *p, const Term *a) {
    NodeKinds kinds;
    NodeItems items;
    if (!node_kinds(&kinds, a[0]) || !node_items(&items, a[1]))
        return fail_badarg(p);
    Term list = NIL;
    for (Term names = node_names(p, &kinds); is_list(names); names = list_tail(names))
        list = area_cons(process_area(p), node_info(process_area(p), list_head(names), &items), list);
    return list;
}

/* Does the process, as an I/O server, take Unicode? Not known of one on a node that was never connected. */
Term net_kernel_dflag_unicode_io_1(Process *p, const Term *a) {
    return is_pid(a[0]) ? bool_term(is_local_pid(a[0])) : fail_badarg(p);
}

/* A node that has no name has none beside it; to one that has, the other cannot be reached, and that is told. */
Term erlang_monitor_node_2(Process *p, const Term *a) {
    if (!is_atom(a[0]) || (a[1] != am_true && a[1] != am_false))
        return fail_badarg(p);
    if (a[0] == node_this_name())
        return am_true;
    if (!node_is_alive())
        return fail_with(p, FAIL_NOTALIVE);
    Term down = area_tuple2(process_area(p), am_nodedown, a[0]);
    if (a[1] == am_true)
        signal_send_or_drop(p->pid, &message_create(down, NON_VALUE, TOKEN_OF_RUNTIME)->signal);
    return am_true;
}

Term erlang_monitor_node_3(Process *p, const Term *a) {
    Term options = a[2];
    while (is_list(options) && list_head(options) == am_allow_passive_connect)
        options = list_tail(options);
    return is_nil(options) ? erlang_monitor_node_2(p, a) : fail_badarg(p);
}
