/*
 * Who hears of nodes: of all of them (process/node_monitors.h), or of one, by monitor_node/2: he has a tie to the
 * channel (distribution/ties.h), and finds out how often he wants to hear of its end when he does.
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
/* It is lost. Who hears of all nodes is told by and by, if it was up: one message each time; false: there is none left.
 * By its thread. */
void node_watch_begin_down(Channel *c);
must_check bool node_watch_tell_down(Channel *c);
/* To who monitors the node by that channel. */
void node_watch_tell_watcher(const Channel *c, Term pid);

/* p monitors the channel's node once more, or that node once less, when it has returned: nodedown comes no more. By p's
 * thread. False: the channel has told that it is lost, and nothing has changed. */
must_check bool node_watch_add(Channel *c, Process *p);
void node_watch_remove(const Entry *entry, Process *p);
/* A handler of exits. */
bool node_watch_process_exit(Process *p, int64_t *reductions);

#endif
