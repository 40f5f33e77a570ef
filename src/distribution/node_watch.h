/*
 * Who hears of nodes: of all of them (process/node_monitors.h), or of one, by monitor_node/2: an entry's watchers,
 * each of whom finds out how often it wants to hear so when it does (the same).
 * Any thread that may look pids up. Source: net_kernel(3) monitor_nodes/2; erlang(3) monitor_node/2.
 */
#ifndef VIV_DISTRIBUTION_NODE_WATCH_H
#define VIV_DISTRIBUTION_NODE_WATCH_H

#include "distribution/channel.h"

/* Who hears of all nodes is told; counts long work.
 * This node has got a name, or has lost it with its net_kernel: a visible node, to which there is no connection. */
void node_watch_tell_this_up(Term name);
void node_watch_tell_this_down(Term name);
/* The connection is up. */
void node_watch_tell_up(const Channel *c);
/* Who monitors the node, taken out under the lock: the watchers of the channel that is there now. */
KeyTable node_watch_take(Entry *entry);
/* It is lost, and who hears of it is told by and by: first who hears of all nodes, if it was up, then its watchers, who
 * are its no more. One message each time; false: there is none left. By its thread. */
void node_watch_begin_down(Channel *c);
must_check bool node_watch_tell_down(Channel *c);

/* p monitors it once more, or once less, when it has returned: nodedown comes no more. By p's thread. False: there is
 * no connection, and none is being made: nothing has changed. */
must_check bool node_watch_add(Entry *entry, Process *p);
void node_watch_remove(Entry *entry, Process *p);
/* A handler of exits. */
bool node_watch_process_exit(Process *p, int64_t *reductions);

#endif
