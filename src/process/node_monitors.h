/*
 * How often a process monitors the nodes: process_flag(monitor_nodes | {monitor_nodes, Options}, _).
 *
 * A subscription is counted by its options. Nobody sends nodeup and nodedown: there are no other nodes. The counts
 * belong to the thread that runs the process, and go with it. Source: net_kernel(3) monitor_nodes/2.
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

/* One more, or none any more. Gives the number before. */
uint32_t node_monitors_set(Process *p, const NodeMonitorOptions *options, bool on);

#endif
