#include "distribution/node_watch.h"

#include "alloc/alloc.h"
#include "process/message.h"
#include "process/node_monitors.h"
#include "process/process_table.h"
#include "term/atom.h"
#include "term/map.h"

/* --- of all nodes ------------------------------------------------------------------------------------------------- */

typedef struct {
    Term event, node, type, reason; /* reason: NON_VALUE of nodeup */
    Term connection; /* its number, am_undefined of this node */
} NodeEvent;

static bool is_for(const NodeEvent *e, const NodeMonitorOptions *o) {
    switch (o->type) {
    case NODES_ALL: return true;
    case NODES_HIDDEN: return e->type == am_hidden;
    default: return e->type == am_visible;
    }
}

static bool wants_reason(const NodeEvent *e, const NodeMonitorOptions *o) {
    return o->wants_reason && is_value(e->reason);
}

static Term as_list(const NodeEvent *e, const NodeMonitorOptions *o, Area *area) {
    Term list = NIL;
    if (o->wants_connection)
        list = area_cons(area, area_tuple2(area, am_connection_id, e->connection), list);
    if (o->type != NODES_UNSAID)
        list = area_cons(area, area_tuple2(area, am_node_type, e->type), list);
    if (wants_reason(e, o))
        list = area_cons(area, area_tuple2(area, am_nodedown_reason, e->reason), list);
    return list;
}

static Term as_map(const NodeEvent *e, const NodeMonitorOptions *o, Area *area) {
    Term map = map_empty(area);
    if (o->wants_connection)
        map = map_put(area, map, am_connection_id, e->connection);
    if (o->type != NODES_UNSAID)
        map = map_put(area, map, am_node_type, e->type);
    if (wants_reason(e, o))
        map = map_put(area, map, am_nodedown_reason, e->reason);
    return map;
}

static bool is_plain(const NodeMonitorOptions *o) {
    return o->wants_list && o->type == NODES_UNSAID && !o->wants_reason && !o->wants_connection;
}

static Term event_term(const NodeEvent *e, const NodeMonitorOptions *o, Area *area) {
    if (is_plain(o))
        return area_tuple2(area, e->event, e->node);
    return area_tuple3(area, e->event, e->node, o->wants_list ? as_list(e, o, area) : as_map(e, o, area));
}

static void tell_one(const NodeEvent *e, const NodeMonitor *to) {
    FragmentArea fa;
    fragment_area_init(&fa, 32);
    Term term = event_term(e, &to->options, &fa.area);
    for (uint32_t i = 0; i < to->count; i++)
        signal_send_or_drop(to->pid, &message_create(term, NON_VALUE, TOKEN_OF_RUNTIME)->signal);
    fragment_area_drop(&fa);
}

static void tell_all(const NodeEvent *e) {
    size_t count;
    NodeMonitor *all = node_monitors_list(&count);
    for (size_t i = 0; i < count; i++)
        if (is_for(e, &all[i].options))
            tell_one(e, &all[i]);
    mem_free(ALLOC_TEMP, all);
}

static Term type_of(bool is_hidden) { return is_hidden ? am_hidden : am_visible; }

void node_watch_tell_this_up(Term name) {
    tell_all(&(NodeEvent){am_nodeup, name, am_visible, NON_VALUE, am_undefined});
}

void node_watch_tell_this_down(Term name) {
    tell_all(&(NodeEvent){am_nodedown, name, am_visible, am_net_kernel_terminated, am_undefined});
}

void node_watch_tell_up(Entry *entry, bool is_hidden, uint32_t connection) {
    tell_all(&(NodeEvent){am_nodeup, entry->name, type_of(is_hidden), NON_VALUE, small_make(connection)});
}

/* --- of one ------------------------------------------------------------------------------------------------------- */

typedef struct {
    KeyNode node; /* the pid */
    uint32_t count;
} NodeWatcher;

static void tell_watcher(Term node, const NodeWatcher *w) {
    FragmentArea fa;
    fragment_area_init(&fa, 3);
    Term term = area_tuple2(&fa.area, am_nodedown, node);
    for (uint32_t i = 0; i < w->count; i++)
        signal_send_or_drop(w->node.key, &message_create(term, NON_VALUE, TOKEN_OF_RUNTIME)->signal);
    fragment_area_drop(&fa);
}

KeyTable node_watch_take(Entry *entry) {
    KeyTable watchers = entry->watchers;
    entry->watchers = (KeyTable){0};
    return watchers;
}

void node_watch_tell_no_connection(const Entry *entry, KeyTable *watchers) {
    for (NodeWatcher *w; (w = (NodeWatcher *)key_table_take_any(watchers)) != NULL;) {
        tell_watcher(entry->name, w);
        mem_free(ALLOC_LINK, w);
    }
}

void node_watch_tell_down(const Entry *entry, bool is_hidden, uint32_t connection, Term reason, KeyTable *watchers) {
    tell_all(&(NodeEvent){am_nodedown, entry->name, type_of(is_hidden), reason, small_make(connection)});
    node_watch_tell_no_connection(entry, watchers);
}

static void count_up(Entry *entry, Term pid) {
    NodeWatcher *w = (NodeWatcher *)key_table_find(&entry->watchers, pid);
    if (w == NULL) {
        w = mem_calloc(ALLOC_LINK, sizeof *w);
        w->node.key = pid;
        key_table_add(&entry->watchers, &w->node);
    }
    w->count++;
}

bool node_watch_add(Entry *entry, Process *p) {
    entries_lock();
    bool is_there = entry_channel(entry) != NULL;
    if (is_there)
        count_up(entry, p->pid);
    entries_unlock();
    if (is_there)
        node_monitors_note_single(p);
    return is_there;
}

void node_watch_remove(Entry *entry, Process *p) {
    entries_lock();
    NodeWatcher *w = (NodeWatcher *)key_table_find(&entry->watchers, p->pid);
    if (w != NULL && --w->count == 0)
        mem_free(ALLOC_LINK, key_table_remove(&entry->watchers, p->pid));
    entries_unlock();
}

static void forget(Entry *entry, void *pid) {
    entries_lock();
    mem_free(ALLOC_LINK, key_table_remove(&entry->watchers, *(const Term *)pid));
    entries_unlock();
}

bool node_watch_process_exit(Process *p, int64_t *reductions) {
    if (node_monitors_has_single(p))
        entries_each(forget, &p->pid);
    return true;
}
