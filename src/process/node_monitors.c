#include "process/node_monitors.h"

#include "alloc/alloc.h"

/* The plain ones, then those of all combinations of options. */
struct NodeMonitors {
    uint32_t plain, with[NODE_TYPE_COUNT][2][2];
};

uint32_t node_monitors_set(Process *p, const NodeMonitorOptions *o, bool on) {
    if (p->node_monitors == NULL)
        p->node_monitors = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->node_monitors);
    uint32_t *count = o->is_plain ? &p->node_monitors->plain
                                  : &p->node_monitors->with[o->type][o->wants_reason][o->wants_connection];
    uint32_t before = *count;
    *count = on ? before + 1 : 0;
    return before;
}
