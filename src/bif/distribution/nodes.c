/*
 * Nodes: this one, those that it is connected to, and those whose identifiers are known.
 * Source: erlang(3) nodes/0,1,2, monitor_node/2,3.
 */
#include <stdlib.h>

#include "alloc/alloc.h"
#include "bif/alive.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "code/export.h"
#include "distribution/alive.h"
#include "distribution/connect.h"
#include "distribution/node_watch.h"
#include "process/message.h"
#include "term/atom.h"
#include "term/map.h"
#include "term/node.h"

typedef struct {
    bool this, visible, hidden, known;
} NodeKinds;

static bool node_kind(NodeKinds *kinds, Term kind) {
    switch (kind) {
    case am_this: kinds->this = true; return true;
    case am_known: kinds->known = true; return true;
    case am_visible: kinds->visible = true; return true;
    case am_hidden: kinds->hidden = true; return true;
    case am_connected: return kinds->visible = kinds->hidden = true;
    default: return false;
    }
}

static bool node_kinds(NodeKinds *kinds, Term t) {
    *kinds = (NodeKinds){0};
    if (is_atom(t))
        return node_kind(kinds, t);
    for (; is_list(t); t = list_tail(t))
        if (!node_kind(kinds, list_head(t)))
            return false;
    return is_nil(t);
}

typedef struct {
    Term name;
    uint32_t connection;
    bool is_visible;
} Connected;

typedef struct {
    Area *area;
    const NodeKinds *kinds;
    Term list;
    Connected *connected;
    size_t count, capacity;
} Names;

static bool has_name(const Names *names, Term name) {
    for (Term l = names->list; is_list(l); l = list_tail(l))
        if (list_head(l) == name)
            return true;
    return false;
}

static void add_name(Term name, void *data) {
    Names *names = data;
    if (!has_name(names, name))
        names->list = area_cons(names->area, name, names->list);
}

static void add_connected(Entry *entry, void *data) {
    Names *names = data;
    const Channel *c = entry_up_channel(entry);
    if (c == NULL)
        return;
    bool is_visible = channel_can(c, CAN_PUBLISHED);
    if (!names->kinds->known && !(is_visible ? names->kinds->visible : names->kinds->hidden))
        return;
    if (names->count == names->capacity) {
        names->capacity = 2 * names->capacity + 8;
        names->connected = mem_realloc(ALLOC_TEMP, names->connected, names->capacity * sizeof(Connected));
    }
    names->connected[names->count++] = (Connected){entry->name, c->id, is_visible};
}

static int last_first(const void *a, const void *b) {
    const Connected *one = a, *other = b;
    if (one->is_visible != other->is_visible)
        return one->is_visible ? -1 : 1;
    return one->connection < other->connection ? 1 : one->connection > other->connection ? -1 : 0;
}

/* Hidden ones first, of a kind the oldest. */
static void put_connected(Names *names) {
    entries_each(add_connected, names);
    if (names->count > 0)
        qsort(names->connected, names->count, sizeof(Connected), last_first);
    for (size_t i = 0; i < names->count; i++)
        names->list = area_cons(names->area, names->connected[i].name, names->list);
    mem_free(ALLOC_TEMP, names->connected);
}

static Term node_names(Process *p, const NodeKinds *kinds) {
    Names names = {process_area(p), kinds, NIL, NULL, 0, 0};
    if (kinds->this || kinds->known)
        names.list = area_cons(names.area, node_this_name(), names.list);
    put_connected(&names);
    if (kinds->known)
        node_each_name(add_name, &names);
    return names.list;
}

Term erlang_nodes_0(Process *p, const Term *a) { return node_names(p, &(NodeKinds){.visible = true}); }

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

static Term type_of(Term name, const Channel *c) {
    if (name == node_this_name())
        return am_this;
    return c == NULL ? am_known : channel_can(c, CAN_PUBLISHED) ? am_visible : am_hidden;
}

static Term node_info(Area *area, Term name, const NodeItems *items) {
    Term map = map_empty(area);
    const Entry *entry = entry_find(name);
    const Channel *c = entry_up_channel(entry);
    if (items->connection_id)
        map = map_put(area, map, am_connection_id, c == NULL ? am_undefined : small_make(c->id));
    if (items->node_type)
        map = map_put(area, map, am_node_type, type_of(name, c));
    return area_tuple2(area, name, map);
}

Term erlang_nodes_2(Process *p, const Term *a) {
    NodeKinds kinds;
    NodeItems items;
    if (!node_kinds(&kinds, a[0]) || !node_items(&items, a[1]))
        return fail_badarg(p);
    Term list = NIL, *last = &list;
    for (Term names = node_names(p, &kinds); is_list(names); names = list_tail(names)) {
        *last = area_cons(process_area(p), node_info(process_area(p), list_head(names), &items), NIL);
        last = &list_ptr(*last)[1];
    }
    return list;
}

/* Does the process, as an I/O server, take Unicode? Not known of one on a node that is not connected. */
Term net_kernel_dflag_unicode_io_1(Process *p, const Term *a) {
    if (!is_pid(a[0]))
        return fail_badarg(p);
    if (is_local_pid(a[0]))
        return am_true;
    const Entry *entry = entry_find(ident_node_name(a[0]));
    const Channel *c = entry_up_channel(entry);
    return bool_term(c != NULL && channel_can(c, CAN_UNICODE_IO));
}

static void tell_down(Process *p, Term node) {
    Term down = area_tuple2(process_area(p), am_nodedown, node);
    signal_send_or_drop(p->pid, &message_create(down, NON_VALUE, TOKEN_OF_RUNTIME)->signal);
}

/* One that cannot be reached is down. It may be lost between the two looks. */
static void begin_monitor(Process *p, Term node) {
    Channel *c = connect_wanted(node);
    if (c == NULL || !node_watch_add(c, p))
        tell_down(p, node);
    if (c != NULL)
        channel_release(c);
}

/* A node that has no name has none beside it. */
Term erlang_monitor_node_2(Process *p, const Term *a) {
    if (!is_atom(a[0]) || (a[1] != am_true && a[1] != am_false))
        return fail_badarg(p);
    if (a[0] == node_this_name())
        return am_true;
    if (!is_alive_or_to_be(p))
        return fail_with(p, FAIL_NOTALIVE);
    Entry *entry = entry_find(a[0]);
    if (a[1] == am_true)
        begin_monitor(p, a[0]);
    else if (entry != NULL)
        node_watch_remove(entry, p);
    return am_true;
}

/* That of stock waits for the connection, which the other node may have to make. */
static Term monitor_passively(Process *p, const Term *a) {
    return bif_trap(p, export_put(am_erlang, am_dmonitor_node, 3), 3, a);
}

static bool is_up(Term node) { return entry_up_channel(entry_find(node)) != NULL; }

Term erlang_monitor_node_3(Process *p, const Term *a) {
    Term options = a[2];
    while (is_list(options) && list_head(options) == am_allow_passive_connect)
        options = list_tail(options);
    if (!is_nil(options))
        return fail_badarg(p);
    bool wants_new =
        is_atom(a[0]) && a[1] == am_true && a[0] != node_this_name() && is_alive_or_to_be(p) && !is_up(a[0]);
    return wants_new && is_list(a[2]) ? monitor_passively(p, a) : erlang_monitor_node_2(p, a);
}
