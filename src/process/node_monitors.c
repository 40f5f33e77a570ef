#include "process/node_monitors.h"

#include <string.h>

#include "alloc/alloc.h"
#include "sys/thread.h"

struct NodeMonitors {
    uint32_t count[NODE_TYPE_COUNT][2][2][2];
    bool has_single; /* monitor_node/2 was called */
};

static Mutex the_lock = MUTEX_INITIALIZER(LOCK_NODE_MONITORS);
static NodeMonitor *the_list;
static size_t list_count, list_capacity;

static bool is_same(const NodeMonitorOptions *a, const NodeMonitorOptions *b) {
    return a->type == b->type && a->wants_reason == b->wants_reason && a->wants_connection == b->wants_connection &&
           a->wants_list == b->wants_list;
}

/* Under the lock. */
static void list_add(Term pid, const NodeMonitorOptions *o, uint32_t count) {
    if (list_count == list_capacity) {
        list_capacity = 2 * list_capacity + 4;
        the_list = mem_realloc(ALLOC_PROCESS_MISC, the_list, list_capacity * sizeof *the_list);
    }
    the_list[list_count++] = (NodeMonitor){pid, count, *o};
}

/* `o` NULL: all of the process. */
static void list_remove(Term pid, const NodeMonitorOptions *o) {
    size_t kept = 0;
    for (size_t i = 0; i < list_count; i++)
        if (the_list[i].pid != pid || (o != NULL && !is_same(&the_list[i].options, o)))
            the_list[kept++] = the_list[i];
    list_count = kept;
}

static void list_set(Term pid, const NodeMonitorOptions *o, uint32_t count) {
    mutex_lock(&the_lock);
    list_remove(pid, o);
    if (count > 0)
        list_add(pid, o, count);
    mutex_unlock(&the_lock);
}

static struct NodeMonitors *monitors_of(Process *p) {
    if (p->node_monitors == NULL)
        p->node_monitors = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->node_monitors);
    return p->node_monitors;
}

uint32_t node_monitors_set(Process *p, const NodeMonitorOptions *o, bool on) {
    uint32_t *count = &monitors_of(p)->count[o->type][o->wants_reason][o->wants_connection][o->wants_list];
    uint32_t before = *count;
    *count = on ? before + 1 : 0;
    if (before != *count)
        list_set(p->pid, o, *count);
    return before;
}

NodeMonitor *node_monitors_list(size_t *count) {
    mutex_lock(&the_lock);
    *count = list_count;
    NodeMonitor *copy = list_count == 0 ? NULL : mem_alloc(ALLOC_TEMP, list_count * sizeof *copy);
    if (list_count > 0)
        memcpy(copy, the_list, list_count * sizeof *copy);
    mutex_unlock(&the_lock);
    return copy;
}

void node_monitors_note_single(Process *p) { monitors_of(p)->has_single = true; }

bool node_monitors_has_single(const Process *p) { return p->node_monitors != NULL && p->node_monitors->has_single; }

bool node_monitors_process_exit(Process *p, int64_t *reductions) {
    if (p->node_monitors == NULL)
        return true;
    mutex_lock(&the_lock);
    list_remove(p->pid, NULL);
    mutex_unlock(&the_lock);
    return true;
}
