#include "sched/bind_order.h"

#include <stdlib.h>

#define NONE INT32_MIN /* no level is called so */

/* What a level is called, and its number. */
typedef struct {
    int32_t name, number;
} Count;

typedef struct {
    Count node, processor, processor_node, core, thread;
} Counts;

static const Count nothing = {NONE, -1};

/* True: it is another one than that of the place before, or the first in what it is in. */
static bool step(Count *c, int32_t name) {
    if (c->name == name)
        return false;
    *c = (Count){name, c->number + 1};
    return true;
}

static void number_core(Counts *c, CpuPlace *place) {
    if (step(&c->core, place->core))
        c->thread = nothing;
    (void)step(&c->thread, place->thread);
    place->core = c->core.number;
    place->thread = c->thread.number;
}

/* Each within what it is in: node, processor, node of the processor, core. */
static void number_place(Counts *c, CpuPlace *place) {
    if (step(&c->node, place->node))
        c->processor = c->processor_node = c->core = c->thread = nothing;
    if (step(&c->processor, place->processor))
        c->processor_node = c->core = c->thread = nothing;
    if (step(&c->processor_node, place->processor_node))
        c->core = c->thread = nothing;
    place->node = c->node.number;
    place->processor = c->processor.number;
    place->processor_node = c->processor_node.number;
    number_core(c, place);
}

/* Nodes are counted together, whether they are above processors or in them: by c->node.number. */
static void number_by_nodes(Counts *c, CpuPlace *place) {
    if (place->node >= 0 && step(&c->node, place->node)) {
        c->processor = c->core = c->thread = nothing;
        c->processor_node.name = NONE;
    }
    if (step(&c->processor, place->processor))
        c->core = c->thread = nothing;
    if (place->processor_node >= 0 && step(&c->processor_node, place->processor_node)) {
        c->node.number++;
        c->core = c->thread = nothing;
    }
    place->node = c->node.number;
    place->processor = c->processor.number;
    place->processor_node = 0;
    number_core(c, place);
}

static void number_all(CpuPlace *places, size_t count, bool by_nodes) {
    Counts c = {nothing, nothing, nothing, nothing, nothing};
    for (size_t i = 0; i < count; i++)
        (by_nodes ? number_by_nodes : number_place)(&c, &places[i]);
}

/* Those of `a` and `b` that count, the first one first. */
#define LEVELS_MAX 5
typedef struct {
    int32_t of[LEVELS_MAX];
} Key;

static int compare_keys(Key a, Key b) {
    for (size_t i = 0; i < LEVELS_MAX; i++)
        if (a.of[i] != b.of[i])
            return a.of[i] < b.of[i] ? -1 : 1;
    return 0;
}

#define COMPARE(name, first, second, third, fourth, fifth)                                                             \
    static int name(const void *left, const void *right) {                                                             \
        const CpuPlace *a = left, *b = right;                                                                          \
        return compare_keys((Key){{a->first, a->second, a->third, a->fourth, a->fifth}},                               \
                            (Key){{b->first, b->second, b->third, b->fourth, b->fifth}});                              \
    }
COMPARE(no_spread, node, processor, processor_node, core, thread)
COMPARE(thread_spread, thread, node, processor, processor_node, core)
COMPARE(processor_spread, thread, processor_node, core, node, processor)
COMPARE(spread, thread, core, processor_node, processor, node)
COMPARE(no_node_thread_spread, node, thread, processor, core, logical)
COMPARE(no_node_processor_spread, node, thread, core, processor, logical)
COMPARE(thread_no_node_processor_spread, thread, node, core, processor, logical)

typedef int Compare(const void *left, const void *right);
static Compare *const compares[BIND_TYPE_COUNT] = {
    [BIND_NO_SPREAD] = no_spread,
    [BIND_THREAD_SPREAD] = thread_spread,
    [BIND_PROCESSOR_SPREAD] = processor_spread,
    [BIND_SPREAD] = spread,
    [BIND_NO_NODE_THREAD_SPREAD] = no_node_thread_spread,
    [BIND_NO_NODE_PROCESSOR_SPREAD] = no_node_processor_spread,
    [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = thread_no_node_processor_spread,
};

void bind_order_sort(CpuPlace *places, size_t count, BindType type) {
    number_all(places, count, type >= BIND_NO_NODE_THREAD_SPREAD);
    qsort(places, count, sizeof *places, compares[type]);
}
