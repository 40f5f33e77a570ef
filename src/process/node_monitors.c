#include "process/node_monitors.h"

#include "alloc/alloc.h"

struct NodeMonitors {
    uint32_t count[NODE_TYPE_COUNT][2][2][2];
};

uint32_t node_monitors_set(Process *p, const NodeMonitorOptions *o, bool on) {
    if (p->node_monitors == NULL)
        p->node_monitors = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->node_monitors);
    uint32_t *count = &p->node_monitors->count[o->type][o->wants_reason][o->wants_connection][o->wants_list];
    uint32_t before = *count;
    *count = on ? before + 1 : 0;
    return before;
}
