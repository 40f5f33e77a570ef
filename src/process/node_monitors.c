#include "process/node_monitors.h"

#include <string.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "sys/thread.h"

/* A row of the newest connection stands in the table, and leads to those of connections before that, of whose end the
 * process has not been told yet. */
typedef struct Single {
    KeyNode node; /* the node */
    uint32_t connection, count;
    struct Single *older;
} Single;

struct NodeMonitors {
    uint32_t count[NODE_TYPE_COUNT][2][2][2];
    KeyTable singles;
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
        ALLOC_FOR_ALL;
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

bool node_monitors_process_exit(Process *p, int64_t *reductions) {
    if (p->node_monitors == NULL)
        return true;
    mutex_lock(&the_lock);
    list_remove(p->pid, NULL);
    mutex_unlock(&the_lock);
    return true;
}

/* --- a single node ------------------------------------------------------------------------------------------------ */

static Single *newest_of(const Process *p, Term node) {
    return p->node_monitors == NULL ? NULL : (Single *)key_table_find(&p->node_monitors->singles, node);
}

/* In the place of the newest, which is taken out, if there is one. */
static void put_newest(Process *p, Single *newest) {
    key_table_remove(&p->node_monitors->singles, newest->node.key);
    key_table_add(&p->node_monitors->singles, &newest->node);
}

static void free_newest(Process *p, Single *newest) {
    if (newest->older != NULL)
        put_newest(p, newest->older);
    else
        key_table_remove(&p->node_monitors->singles, newest->node.key);
    mem_free(ALLOC_LINK, newest);
}

void node_monitors_add_single(Process *p, Term node, uint32_t connection) {
    Single *newest = newest_of(p, node);
    if (newest == NULL || newest->connection != connection) {
        Single *one = mem_alloc(ALLOC_LINK, sizeof *one);
        *one = (Single){.node.key = node, .connection = connection, .older = newest};
        monitors_of(p);
        put_newest(p, one);
        newest = one;
    }
    newest->count++;
}

typedef struct {
    void (*each)(Term node, uint32_t count, void *data);
    void *data;
} EachSingle;

static void tell_single(KeyNode *node, void *data) {
    const EachSingle *to = data;
    uint32_t count = 0;
    for (const Single *one = (const Single *)node; one != NULL; one = one->older)
        count += one->count;
    to->each(node->key, count, to->data);
}

void node_monitors_each_single(const Process *p, void each(Term node, uint32_t count, void *data), void *data) {
    if (p->node_monitors != NULL)
        key_table_each(&p->node_monitors->singles, tell_single, &(EachSingle){each, data});
}

uint32_t node_monitors_remove_single(Process *p, Term node) {
    Single *newest = newest_of(p, node);
    if (newest == NULL || --newest->count > 0)
        return 0;
    uint32_t connection = newest->connection;
    free_newest(p, newest);
    return connection;
}

static Single **place_of_older(Single *newest, uint32_t connection) {
    Single **place = &newest->older;
    while (*place != NULL && (*place)->connection != connection)
        place = &(*place)->older;
    return place;
}

static uint32_t take_older(Single *newest, uint32_t connection) {
    Single **place = place_of_older(newest, connection), *one = *place;
    if (one == NULL)
        return 0;
    uint32_t count = one->count;
    *place = one->older;
    mem_free(ALLOC_LINK, one);
    return count;
}

uint32_t node_monitors_take_single(Process *p, Term node, uint32_t connection) {
    Single *newest = newest_of(p, node);
    if (newest == NULL)
        return 0;
    if (newest->connection != connection)
        return take_older(newest, connection);
    uint32_t count = newest->count;
    free_newest(p, newest);
    return count;
}

bool node_monitors_take_any_single(Process *p, Term *node, uint32_t *connection) {
    Single *one = p->node_monitors == NULL ? NULL : (Single *)key_table_take_any(&p->node_monitors->singles);
    if (one == NULL)
        return false;
    if (one->older != NULL)
        key_table_add(&p->node_monitors->singles, &one->older->node);
    *node = one->node.key;
    *connection = one->connection;
    mem_free(ALLOC_LINK, one);
    return true;
}
