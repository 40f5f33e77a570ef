/*
 * How often a process monitors the nodes: process_flag(monitor_nodes | {monitor_nodes, Options}, _); or one of them, by
 * monitor_node/2.
 *
 * A subscription is counted by its options: a row, which the process has until it ends or takes it back, and which
 * stands in one list of all, under LOCK_NODE_MONITORS, for who tells of nodes (distribution/node_watch.h). Only the
 * thread that runs the process writes its rows. A row keeps its place when it counts more, as on the stock runtime: so
 * who came first is told first. Who tells *walks* through the list, one row after the other, and has a place in it
 * meanwhile: nobody waits for it, and no step takes long, however many rows there are.
 *
 * A single node is monitored by the connection that was there, or was being made, at the time. How often is known by
 * the process alone, and decides what it is told when that is lost: what it takes back by then it does not hear of.
 * Source: net_kernel(3) monitor_nodes/2; erlang(3) monitor_node/2.
 */
#ifndef VIV_PROCESS_NODE_MONITORS_H
#define VIV_PROCESS_NODE_MONITORS_H

#include "process/process.h"

typedef enum { NODES_UNSAID, NODES_VISIBLE, NODES_HIDDEN, NODES_ALL, NODE_TYPE_COUNT } NodeType;

typedef struct {
    NodeType type;
    bool wants_reason, wants_connection;
    bool wants_list; /* what nodeup and nodedown tell besides is a list, not a map; with no other option nothing */
} NodeMonitorOptions;

typedef struct {
    Term pid;
    uint32_t count;
    NodeMonitorOptions options;
} NodeMonitor;

/* In the list. Its number: of a row, ever more from 1 on; 0 of a walk. */
typedef struct NodeMonitorPlace {
    struct NodeMonitorPlace *before, *after;
    uint64_t number;
} NodeMonitorPlace;

/* All zero: one that is over. Until it is, its memory stays where it is. */
typedef struct {
    NodeMonitorPlace place; /* under the lock; the rest is the walker's own */
    uint64_t last;          /* who comes later is not met */
    bool goes_on;
    NodeMonitor one; /* the row that was met, as it was then: to be written as well */
} NodeMonitorWalk;

/* One more, or none any more. Gives the number before. */
uint32_t node_monitors_set(Process *p, const NodeMonitorOptions *options, bool on);
/* Begins a walk, which goes on until there is no next. Any thread, one at a time. It meets rows that are there now and
 * are there yet when it comes to them. */
void node_monitors_walk(NodeMonitorWalk *walk);
must_check bool node_monitors_next(NodeMonitorWalk *walk);
/* A handler of exits. */
bool node_monitors_process_exit(Process *p, int64_t *reductions);

/* Of a single node, by p's thread. `connection` is a channel's number: never 0, and larger than those before. */
void node_monitors_add_single(Process *p, Term node, uint32_t connection);
bool node_monitors_has_single(const Process *p, Term node, uint32_t connection);
/* How often each node is monitored, by any connection. */
void node_monitors_each_single(const Process *p, void each(Term node, uint32_t count, void *data), void *data);
/* Takes back one, of the newest connection. Gives the connection of which that was the last; 0: others are left, or
 * there was none. */
uint32_t node_monitors_remove_single(Process *p, Term node);
/* Takes out those of that connection, which is lost: how many they were. */
uint32_t node_monitors_take_single(Process *p, Term node, uint32_t connection);
/* Takes out those of some connection; false: there is none left. */
bool node_monitors_take_any_single(Process *p, Term *node, uint32_t *connection);

#endif
