/*
 * Links and monitors as records, of a process and of the connection to a node. Source: erl_link_SUITE of OTP 25, and
 * what its runtime answers.
 */
#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/process/process_info.h"
#include "bif/system/internal_state.h"
#include "distribution/alive.h"
#include "distribution/connect.h"
#include "process/link.h"
#include "process/monitor.h"
#include "process/node_monitors.h"
#include "process/suspend.h"
#include "term/atom.h"
#include "term/integer.h"

typedef struct {
    Area *area;
    Term own; /* the process: a pid */
    Term list;
} Records;

static void add(Records *r, const Term *fields, size_t count) {
    r->list = area_cons(r->area, area_tuple(r->area, fields, count), r->list);
}

static Term or_nothing(Term t) { return is_value(t) ? t : NIL; }

/* --- Links --- */

/* #erl_link{type, pid, state, id}: the number tells a link from all others, and is the same for the process and for the
 * connection. */
static void add_link(Records *r, bool is_linked, Term other, Term pid, uint64_t actor) {
    const uint64_t number[] = {pid, actor};
    Term type = actor_key_is_far(actor) ? am_dist_process : is_local_port(actor) ? am_port : am_process;
    Term id = integer_from_limbs(r->area, number, array_length(number), false);
    Term record[] = {am_erl_link, type, other, is_linked ? am_linked : am_unlinking, id};
    add(r, record, array_length(record));
}

static void add_own_link(KeyNode *node, void *data) {
    Records *r = data;
    add_link(r, ((const Link *)node)->unlinking == 0, actor_key_term(r->area, node->key), r->own, node->key);
}

static Term links_of_process(const Subject *s) {
    Records r = {s->area, s->p->pid, NIL};
    key_table_each(&s->p->links, add_own_link, &r);
    return r.list;
}

static void add_link_tie(KeyNode *node, void *data) {
    Records *r = data;
    add_link(r, link_tie_is_linked((const LinkTie *)node), r->own, r->own, node->key);
}

static void add_link_ties(KeyNode *node, void *data) {
    Records *r = data;
    r->own = node->key;
    key_table_each(&((const LinkTies *)node)->by_far, add_link_tie, r);
}

static Term links_of_channel(Channel *c, void *none, Area *area) {
    Records r = {area, NON_VALUE, NIL};
    key_table_each(&c->ties.links, add_link_ties, &r);
    return r.list;
}

/* --- Monitors --- */

/* #erl_monitor{type, dir = origin | target, ref = Reference | [], pid = Other, extra = Name | Count | []} */
static void add_monitor(Records *r, Term type, Term side, Term reference, Term other, Term extra) {
    Term record[] = {am_erl_monitor, type, side, reference, or_nothing(other), or_nothing(extra)};
    add(r, record, array_length(record));
}

static void add_origin(KeyNode *node, void *data) {
    Records *r = data;
    const Monitor *m = (const Monitor *)node;
    static const Term types[] = {am_alias, am_process, am_port, am_time_offset, am_dist_process, am_dist_process};
    if (m->type == MONITOR_SPAWN)
        return;
    Term reference = monitor_reference(r->area, node->key, m->is_alias_reference ? r->own : NON_VALUE);
    Term target = m->type == MONITOR_FAR ? actor_key_term(r->area, m->target) : m->target;
    add_monitor(r, types[m->type], am_origin, reference, target, m->name);
}

/* What a connection watches for another node's process, which alone has a reference; NULL: it is no such. */
static const WatchTie *tie_of_watcher(const Watcher *w) {
    return w->native != NULL && w->native->reference != NULL ? container_of(w->native, WatchTie, watch) : NULL;
}

static void add_target(KeyNode *node, void *data) {
    Records *r = data;
    const Watcher *w = (const Watcher *)node;
    Term reference = monitor_reference(r->area, node->key, w->is_alias_reference ? w->origin : NON_VALUE);
    const WatchTie *far = tie_of_watcher(w);
    if (far != NULL)
        add_monitor(r, am_dist_process, am_target, far->watch.reference(&far->watch, r->area),
                    far->watch.origin(&far->watch, r->area), far->name);
    else if (w->native != NULL)
        add_monitor(r, am_resource, am_target, reference, w->native->origin(w->native, r->area), NON_VALUE);
    else
        add_monitor(r, am_process, am_target, reference, w->origin, w->name);
}

static void add_suspending(KeyNode *node, void *data) {
    add_monitor(data, am_suspend, am_origin, NIL, (Term)node->key, NON_VALUE);
}

static void add_suspender(KeyNode *node, void *data) {
    add_monitor(data, am_suspend, am_target, NIL, (Term)node->key, NON_VALUE);
}

static void add_monitored_node(Term node, uint32_t count, void *data) {
    add_monitor(data, am_node, am_origin, NIL, node, small_make(count));
}

static Term monitors_of_process(const Subject *s) {
    Records r = {s->area, s->p->pid, NIL};
    const Suspensions *suspensions = s->p->suspensions;
    key_table_each(&s->p->monitors, add_origin, &r);
    key_table_each(&s->p->watchers, add_target, &r);
    node_monitors_each_single(s->p, add_monitored_node, &r);
    if (suspensions != NULL) {
        key_table_each(&suspensions->suspending, add_suspending, &r);
        key_table_each(&suspensions->suspenders, add_suspender, &r);
    }
    return r.list;
}

static void add_monitor_tie(KeyNode *node, void *data) {
    Records *r = data;
    const MonitorTie *tie = (const MonitorTie *)node;
    if (tie->tie.kind != TIE_MONITOR)
        return;
    Term reference = monitor_reference(r->area, node->key, tie->is_alias_reference ? tie->from : NON_VALUE);
    add_monitor(r, am_dist_process, am_target, reference, tie->from, tie->name);
}

static void add_watch_tie(KeyNode *node, void *data) {
    Records *r = data;
    const WatchTie *tie = container_of(node, const WatchTie, node);
    Term reference = tie->watch.reference(&tie->watch, r->area);
    add_monitor(r, am_dist_process, am_origin, reference, tie->pid, tie->name);
}

static void add_watcher(KeyNode *node, void *data) { add_monitor(data, am_node, am_target, NIL, node->key, NON_VALUE); }

static Term monitors_of_channel(Channel *c, void *none, Area *area) {
    Records r = {area, NON_VALUE, NIL};
    key_table_each(&c->ties.monitors, add_monitor_tie, &r);
    key_table_each(&c->ties.watches, add_watch_tie, &r);
    key_table_each(&c->ties.nodes, add_watcher, &r);
    return r.list;
}

/* --- Whose --- */

static void tell_links(Channel *c, ChannelCall *call) { channel_answer(call, links_of_channel, c, NULL); }
static void tell_monitors(Channel *c, ChannelCall *call) { channel_answer(call, monitors_of_channel, c, NULL); }

/* Of the connection that is there or being made; [] without one, undefined where nothing is known of the node. */
static Term ask_node(Process *p, Term node, void tell(Channel *, ChannelCall *)) {
    Channel *c = connect_there(node);
    if (c == NULL)
        return node == node_this_name() || inside_is_known(node) ? NIL : am_undefined;
    Term answer = channel_ask(p, c, channel_call_create(p->pid, tell), NIL);
    channel_release(c);
    return answer;
}

static Term ask(Process *p, Term whose, InfoItem *of_process, void of_channel(Channel *, ChannelCall *)) {
    if (is_local_pid(whose))
        return process_info_ask(p, whose, of_process);
    return is_node_name(whose) ? ask_node(p, whose, of_channel) : fail_badarg(p);
}

Term inside_links(Process *p, Term whose) { return ask(p, whose, links_of_process, tell_links); }
Term inside_monitors(Process *p, Term whose) { return ask(p, whose, monitors_of_process, tell_monitors); }
