#include "process/node_monitors.h"

#include "alloc/alloc.h"
#include "sys/thread.h"

/* A row of the newest connection stands in the table, and leads to those of connections before that, of whose end the
 * process has not been told yet. */
typedef struct Single {
    KeyNode node; /* the node */
    uint32_t connection, count;
    struct Single *older;
} Single;

typedef struct {
    NodeMonitorPlace place; /* must be first */
    NodeMonitor monitor;
} Row;

#define ROWS (NODE_TYPE_COUNT * 2 * 2 * 2)

struct NodeMonitors {
    Row *rows[ROWS]; /* by their options; NULL: none */
    KeyTable singles;
};

static unsigned index_of(const NodeMonitorOptions *o) {
    return ((o->type * 2 + o->wants_reason) * 2 + o->wants_connection) * 2 + o->wants_list;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static Mutex the_lock = MUTEX_INITIALIZER(LOCK_NODE_MONITORS);
static NodeMonitorPlace the_list = {&the_list, &the_list, 0}; /* its ends: the first is after it, the last before it */
static uint64_t last_number;

/* Under the lock, as all of these are. */
static void put_behind(NodeMonitorPlace *before, NodeMonitorPlace *place) {
    place->before = before;
    place->after = before->after;
    place->after->before = before->after = place;
}

static void take_out(const NodeMonitorPlace *place) {
    place->before->after = place->after;
    place->after->before = place->before;
}

/* A row, past others who walk. NULL: there is none that it is to meet. */
static NodeMonitorPlace *next_row(const NodeMonitorWalk *walk) {
    NodeMonitorPlace *at = walk->place.after;
    while (at != &the_list && at->number == 0)
        at = at->after;
    return at == &the_list || at->number > walk->last ? NULL : at;
}

static void walk_on(NodeMonitorWalk *walk) {
    NodeMonitorPlace *row = next_row(walk);
    take_out(&walk->place);
    walk->goes_on = row != NULL;
    if (row == NULL)
        return;
    put_behind(row, &walk->place);
    walk->one = ((const Row *)row)->monitor;
}

void node_monitors_walk(NodeMonitorWalk *walk) {
    *walk = (NodeMonitorWalk){.goes_on = true};
    mutex_lock(&the_lock);
    walk->last = last_number;
    put_behind(&the_list, &walk->place);
    mutex_unlock(&the_lock);
}

bool node_monitors_next(NodeMonitorWalk *walk) {
    if (walk->goes_on) {
        mutex_lock(&the_lock);
        walk_on(walk);
        mutex_unlock(&the_lock);
    }
    return walk->goes_on;
}

/* --- of all nodes ------------------------------------------------------------------------------------------------- */

static Row *row_create(Term pid, const NodeMonitorOptions *o) {
    Row *row = mem_alloc(ALLOC_PROCESS_MISC, sizeof *row);
    row->monitor = (NodeMonitor){pid, 1, *o};
    mutex_lock(&the_lock);
    row->place.number = ++last_number;
    put_behind(the_list.before, &row->place);
    mutex_unlock(&the_lock);
    return row;
}

static void row_add(Row *row) {
    mutex_lock(&the_lock);
    row->monitor.count++;
    mutex_unlock(&the_lock);
}

static void row_free(Row *row) {
    mutex_lock(&the_lock);
    take_out(&row->place);
    mutex_unlock(&the_lock);
    mem_free(ALLOC_PROCESS_MISC, row);
}

static struct NodeMonitors *monitors_of(Process *p) {
    if (p->node_monitors == NULL)
        p->node_monitors = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->node_monitors);
    return p->node_monitors;
}

static void row_set(Row **row, Term pid, const NodeMonitorOptions *o, bool on) {
    if (*row == NULL) {
        *row = on ? row_create(pid, o) : NULL;
    } else if (on) {
        row_add(*row);
    } else {
        row_free(*row);
        *row = NULL;
    }
}

uint32_t node_monitors_set(Process *p, const NodeMonitorOptions *o, bool on) {
    Row **row = &monitors_of(p)->rows[index_of(o)];
    uint32_t before = *row == NULL ? 0 : (*row)->monitor.count;
    row_set(row, p->pid, o, on);
    return before;
}

bool node_monitors_process_exit(Process *p, int64_t *reductions) {
    if (p->node_monitors == NULL)
        return true;
    for (unsigned i = 0; i < ROWS; i++)
        row_set(&p->node_monitors->rows[i], NON_VALUE, NULL, false);
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
    if (!node_monitors_has_single(p, node, connection)) {
        Single *one = mem_alloc(ALLOC_LINK, sizeof *one);
        *one = (Single){.node.key = node, .connection = connection, .older = newest};
        monitors_of(p);
        put_newest(p, one);
        newest = one;
    }
    newest->count++;
}

bool node_monitors_has_single(const Process *p, Term node, uint32_t connection) {
    const Single *newest = newest_of(p, node);
    return newest != NULL && newest->connection == connection;
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
