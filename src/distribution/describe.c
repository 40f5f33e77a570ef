#include "distribution/describe.h"

#include "distribution/channel.h"
#include "distribution/node_watch.h"
#include "term/atom.h"
#include "term/node.h"
#include "term/print.h"

typedef struct {
    Text *to;
    bool is_alone, is_connected; /* which of the nodes are told of now */
} Description;

static void put_pair(Text *to, const char *what, Term from, Term other) {
    text_format(to, "%s: ", what);
    print_term(to, from);
    text_byte(to, ' ');
    print_term(to, other);
    text_byte(to, '\n');
}

/* --- ties -------------------------------------------------------------------------------------------------------- */

typedef struct {
    Text *to;
    Term pid, node;
} Tied;

static void put_link(KeyNode *node, void *data) {
    const Tied *tied = data;
    FarRoom room;
    if (link_tie_is_linked((const LinkTie *)node))
        put_pair(tied->to, "Remote link", far_lend(&room, (const Far *)node->key), tied->pid);
}

static void put_links(KeyNode *node, void *data) {
    Tied tied = {data, node->key, NON_VALUE};
    key_table_each(&((const LinkTies *)node)->by_far, put_link, &tied);
}

static void put_named(Text *to, Term from, Term name, Term node) {
    text_string(to, "Remote monitoring: ");
    print_term(to, from);
    text_string(to, " {");
    print_atom(to, name);
    text_string(to, ", ");
    print_atom(to, node);
    text_string(to, "}\n");
}

static void put_monitor(KeyNode *node, void *data) {
    const Tied *tied = data;
    const MonitorTie *tie = (const MonitorTie *)node;
    FarRoom room;
    if (tie->tie.kind != TIE_MONITOR)
        return;
    if (is_value(tie->name))
        put_named(tied->to, tie->from, tie->name, tied->node);
    else
        put_pair(tied->to, "Remote monitoring", tie->from, actor_key_lend(&room, tie->far));
}

static void put_watch(KeyNode *node, void *data) {
    const WatchTie *tie = container_of(node, const WatchTie, node);
    FarRoom room;
    put_pair(data, "Remotely monitored by", tie->pid, far_lend(&room, tie->from));
}

static void put_watcher(KeyNode *node, void *data) {
    const Tied *tied = data;
    put_pair(tied->to, "Remote monitoring", node->key, tied->node);
}

static void put_ties(Text *to, const Channel *c) {
    Tied tied = {to, NON_VALUE, channel_node(c)};
    key_table_each(&c->ties.monitors, put_monitor, &tied);
    key_table_each(&c->ties.watches, put_watch, to);
    key_table_each(&c->ties.nodes, put_watcher, &tied);
    key_table_each(&c->ties.links, put_links, to);
}

/* --- nodes ------------------------------------------------------------------------------------------------------- */

static void begin_node(Text *to, const char *kind, Term name) {
    text_format(to, "=%s:%u\nName: ", kind, atom_index(name));
    print_term(to, name);
    text_byte(to, '\n');
}

static void put_connected(Text *to, const Channel *c, bool is_alone) {
    begin_node(to, channel_can(c, CAN_PUBLISHED) ? "visible_node" : "hidden_node", channel_node(c));
    text_string(to, "Controller: ");
    print_term(to, c->controller);
    text_format(to, "\nCreation: %u\n", c->creation);
    if (is_alone)
        put_ties(to, c);
}

static void put_entry(Entry *entry, void *data) {
    const Description *d = data;
    const Channel *c = entry_up_channel(entry);
    if (c != NULL && d->is_connected)
        put_connected(d->to, c, d->is_alone);
    else if (c == NULL && !d->is_connected)
        begin_node(d->to, "not_connected", entry->name);
}

/* Of a node that nobody wanted to reach, and whose name is in some term. */
static void put_name(Term name, void *data) {
    const Description *d = data;
    if (name != node_this_name() && entry_find(name) == NULL)
        begin_node(d->to, "not_connected", name);
}

static void put_all(Text *to, bool is_alone) {
    text_string(to, "=node:");
    print_term(to, node_this_name());
    text_byte(to, '\n');
    if (!node_is_alive()) {
        text_string(to, "=no_distribution\n");
        return;
    }
    entries_each(put_entry, &(Description){to, is_alone, true});
    Description others = {to, is_alone, false};
    entries_each(put_entry, &others);
    (is_alone ? node_each_name_alone : node_each_name)(put_name, &others);
}

void distribution_text(Text *to) { put_all(to, false); }
void distribution_text_alone(Text *to) { put_all(to, true); }
