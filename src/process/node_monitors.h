/*
 * How often a process monitors the nodes: process_flag(monitor_nodes | {monitor_nodes, Options}, _).
 *
 * A subscription is counted by its options. The counts belong to the thread that runs the process, and go with it; all
 * of them stand in a list as well, under LOCK_NODE_MONITORS, for who tells of nodes (distribution/node_watch.h).
 * Source: net_kernel(3) monitor_nodes/2.
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
/* p monitors a single node (monitor_node/2), or has once. By its thread. */
void node_monitors_note_single(Process *p);
bool node_monitors_has_single(const Process *p);
/* A handler of exits. */
bool node_monitors_process_exit(Process *p, int64_t *reductions);

#endif
