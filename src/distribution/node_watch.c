#include "distribution/node_watch.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "process/message.h"
#include "process/node_monitors.h"
#include "process/process_table.h"
#include "process/signal_handle.h"
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

static void send(const NodeEvent *e, const NodeMonitor *to) {
    FragmentArea fa;
    fragment_area_init(&fa, 32);
    Term term = event_term(e, &to->options, &fa.area);
    signal_send_or_drop(to->pid, &message_create(term, NON_VALUE, TOKEN_OF_RUNTIME)->signal);
    fragment_area_drop(&fa);
}

/* One message, or none to one who does not want it: he may want it any number of times, and many may not. False: all
 * have been told. */
static bool tell_next(const NodeEvent *e, NodeMonitorWalk *walk) {
    NodeMonitor *one = &walk->one;
    if (one->count == 0 && !node_monitors_next(walk))
        return false;
    if (is_for(e, &one->options)) {
        send(e, one);
        one->count--;
    } else {
        one->count = 0;
    }
    return true;
}

#define UNITS_TO_TELL 200 /* of long work */

static void tell_all(const NodeEvent *e) {
    NodeMonitorWalk walk;
    node_monitors_walk(&walk);
    while (tell_next(e, &walk))
        long_work_count(UNITS_TO_TELL);
}

static Term type_of(bool is_hidden) { return is_hidden ? am_hidden : am_visible; }

void node_watch_tell_this_up(Term name) {
    tell_all(&(NodeEvent){am_nodeup, name, am_visible, NON_VALUE, am_undefined});
}

void node_watch_tell_this_down(Term name) {
    tell_all(&(NodeEvent){am_nodedown, name, am_visible, am_net_kernel_terminated, am_undefined});
}

void node_watch_tell_up(const Channel *c) {
    Term type = type_of(!channel_can(c, CAN_PUBLISHED));
    tell_all(&(NodeEvent){am_nodeup, channel_node(c), type, NON_VALUE, small_make(c->id)});
}

bool node_watch_tell_down(Channel *c) {
    Term type = type_of(!channel_can(c, CAN_PUBLISHED));
    NodeEvent down = {am_nodedown, channel_node(c), type, kept_term(&c->reason), small_make(c->id)};
    return tell_next(&down, &c->end_walk);
}

/* --- of one ------------------------------------------------------------------------------------------------------- */

#define COST_OF_NODE 10 /* reductions */
#define UNITS_TO_APPEND 100 /* of long work */

/* That connection to the node is lost. */
typedef struct {
    CallSignal call; /* must be first */
    Term node;
    uint32_t connection;
} DownSignal;

static Message *down_message(Term node) {
    Area area;
    Message *m = message_begin(&area, 3, NON_VALUE);
    m->token = TOKEN_OF_RUNTIME;
    message_end(m, &area, area_tuple2(&area, am_nodedown, node));
    return m;
}

/* One message for each time that p monitors it by now. */
static void take_down(Process *p, CallSignal *call) {
    const DownSignal *down = (DownSignal *)call;
    uint32_t count = process_is_exiting(p) ? 0 : node_monitors_take_single(p, down->node, down->connection);
    for (; count > 0; count--) {
        signal_handle_now(p, &down_message(down->node)->signal);
        long_work_count(UNITS_TO_APPEND);
    }
    mem_free(ALLOC_SIGNAL, call);
}

void node_watch_tell_watcher(const Channel *c, Term pid) {
    DownSignal *down = mem_alloc(ALLOC_SIGNAL, sizeof *down);
    *down = (DownSignal){.call.handle = take_down, .node = channel_node(c), .connection = c->number};
    signal_init(&down->call.signal, SIGNAL_CALL);
    if (!signal_send(pid, &down->call.signal))
        mem_free(ALLOC_SIGNAL, down);
}

void node_watch_begin_down(Channel *c) {
    if (channel_has_status(c, CHANNEL_UP))
        node_monitors_walk(&c->end_walk);
}

static void put_watcher(Channel *c, ChannelCall *call) {
    tie_node(&c->ties, call->from);
    mem_free(ALLOC_SIGNAL, call);
}

static void drop_watcher(Channel *c, ChannelCall *call) {
    tie_node_gone(&c->ties, call->from);
    mem_free(ALLOC_SIGNAL, call);
}

static bool tell_of(Channel *c, Term pid, void handle(Channel *, ChannelCall *)) {
    ChannelCall *call = channel_call_create(pid, handle);
    bool is_told = channel_tell(c, &call->signal);
    if (!is_told)
        mem_free(ALLOC_SIGNAL, call);
    return is_told;
}

bool node_watch_add(Channel *c, Process *p) {
    bool is_tied = node_monitors_has_single(p, channel_node(c), c->number);
    if (!is_tied && !tell_of(c, p->pid, put_watcher))
        return false;
    node_monitors_add_single(p, channel_node(c), c->number);
    return true;
}

/* One that has told of its end knows nobody any more. */
static void forget(const Entry *entry, Term pid, uint32_t number) {
    Channel *c = entry_channel(entry);
    if (c == NULL || c->number != number || !channel_try_hold(c))
        return;
    (void)tell_of(c, pid, drop_watcher);
    channel_release(c);
}

void node_watch_remove(const Entry *entry, Process *p) {
    uint32_t number = node_monitors_remove_single(p, entry->name);
    if (number != 0)
        forget(entry, p->pid, number);
}

bool node_watch_process_exit(Process *p, int64_t *reductions) {
    uint32_t number;
    for (Term node; node_monitors_take_any_single(p, &node, &number);) {
        forget(entry_find(node), p->pid, number);
        if ((*reductions -= COST_OF_NODE) <= 0)
            return false;
    }
    return true;
}
