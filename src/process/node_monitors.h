/*
 * How often a process monitors the nodes: process_flag(monitor_nodes | {monitor_nodes, Options}, _); or one of them, by
 * monitor_node/2.
 *
 * A subscription is counted by its options. The counts belong to the thread that runs the process, and go with it; all
 * of them stand in a list as well, under LOCK_NODE_MONITORS, for who tells of nodes (distribution/node_watch.h).
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

/* One of the list. */
typedef struct {
    Term pid;
    uint32_t count;
    NodeMonitorOptions options;
} NodeMonitor;

/* One more, or none any more. Gives the number before. */
uint32_t node_monitors_set(Process *p, const NodeMonitorOptions *options, bool on);
/* All, as of now: a block for mem_free(ALLOC_TEMP), or NULL. Any thread. */
NodeMonitor *node_monitors_list(size_t *count);
/* A handler of exits. */
bool node_monitors_process_exit(Process *p, int64_t *reductions);

/* Of a single node, by p's thread. `connection` is a channel's number: never 0, and larger than those before. */
void node_monitors_add_single(Process *p, Term node, uint32_t connection);
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
