/*
 * Who hears of nodes: of all of them (process/node_monitors.h), or of one, by monitor_node/2 (an entry's watchers).
 * Any thread that may look pids up. Source: net_kernel(3) monitor_nodes/2; erlang(3) monitor_node/2.
 */
#ifndef VIV_DISTRIBUTION_NODE_WATCH_H
#define VIV_DISTRIBUTION_NODE_WATCH_H

#include "distribution/entry.h"

/* This node has got a name, or has lost it with its net_kernel: a visible node, to which there is no connection. */
void node_watch_tell_this_up(Term name);
void node_watch_tell_this_down(Term name);

void node_watch_tell_up(Entry *entry, bool is_hidden, uint32_t connection);
/* Who monitors the node, taken out under the lock: they are told of the end of the channel that is there now, of which
 * `watchers` is emptied by the one below. */
KeyTable node_watch_take(Entry *entry);
void node_watch_tell_down(const Entry *entry, bool is_hidden, uint32_t connection, Term reason, KeyTable *watchers);
/* It was never up: only those hear so who monitor this node. */
void node_watch_tell_no_connection(const Entry *entry, KeyTable *watchers);

/* p monitors it once more, or once less. By p's thread. False: there is no connection, and none is being made: nothing
 * has changed. */
must_check bool node_watch_add(Entry *entry, Process *p);
void node_watch_remove(Entry *entry, Process *p);
/* A handler of exits. */
bool node_watch_process_exit(Process *p, int64_t *reductions);

#endif
