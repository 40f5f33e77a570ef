#include "init/binding_flags.h"

#include <string.h>

#include "alloc/alloc.h"
#include "sched/binding.h"
#include "sched/topology.h"

static const char no_number[] = "invalid identifier", no_range[] = "invalid identifier range";

/* --- Lists of numbers --------------------------------------------------------------------------------------------- */

/* As many as there can be, ALLOC_TEMP; `count` 0: not said. */
typedef struct {
    int32_t *of;
    size_t count;
} Numbers;

/* False: there is none, or it is too large. */
static bool read_number(const char **at, int32_t *number) {
    if (**at < '0' || **at > '9')
        return false;
    for (*number = 0; **at >= '0' && **at <= '9'; (*at)++)
        if ((*number = *number * 10 + (**at - '0')) > CPU_NUMBER_MAX)
            return false;
    return true;
}

/* Upwards or downwards. False: more than all. */
static bool add_range(Numbers *n, int32_t from, int32_t to) {
    size_t length = (size_t)(from < to ? to - from : from - to) + 1;
    if (n->count + length > CPU_PLACES_MAX)
        return false;
    if (n->of == NULL)
        n->of = mem_alloc(ALLOC_TEMP, CPU_PLACES_MAX * sizeof *n->of);
    for (; from != to; from += from < to ? 1 : -1)
        n->of[n->count++] = from;
    n->of[n->count++] = to;
    return true;
}

/* NULL, or what is wrong. */
static const char *read_numbers(const char **at, Numbers *n) {
    int32_t from, to;
    do {
        *at += n->count > 0; /* the comma */
        if (!read_number(at, &from))
            return no_number;
        to = from;
        if (**at == '-') {
            (*at)++;
            if (!read_number(at, &to))
                return no_range;
        }
        if (!add_range(n, from, to))
            return no_range;
    } while (**at == ',');
    return NULL;
}

/* --- A group: numbers of each level ------------------------------------------------------------------------------- */

typedef enum { LOGICAL, THREAD, CORE, PROCESSOR_NODE, PROCESSOR, NODE, LEVELS } Level;

typedef struct {
    Numbers levels[LEVELS];
} Group;

static void group_release(Group *g) {
    for (Level l = 0; l < LEVELS; l++)
        mem_free(ALLOC_TEMP, g->levels[l].of);
}

static bool has(const Group *g, Level level) { return g->levels[level].count > 0; }

/* Is anything said that stands behind this level? */
static bool is_late(const Group *g, Level level) {
    for (Level l = level; l < LEVELS; l++)
        if (has(g, l))
            return true;
    return false;
}

/* Nodes that are said before the processor are within it. LEVELS: there is no such letter. */
static Level level_of(const Group *g, char letter) {
    switch (letter) {
    case 'L': return LOGICAL;
    case 't':
    case 'T': return THREAD;
    case 'c':
    case 'C': return CORE;
    case 'p':
    case 'P': return PROCESSOR;
    case 'n':
    case 'N': return has(g, PROCESSOR) ? NODE : PROCESSOR_NODE;
    default: return LEVELS;
    }
}

static const char *check_lengths(const Group *g) {
    for (Level l = THREAD; l < LEVELS; l++)
        if (g->levels[l].count > 1 && g->levels[l].count != g->levels[LOGICAL].count)
            return no_range;
    return NULL;
}

static const char *read_group(const char **at, Group *g) {
    while (**at != '\0' && **at != ':') {
        Level level = level_of(g, **at);
        if (level == LEVELS)
            return "invalid identifier type";
        if (is_late(g, level))
            return "invalid hierarchy";
        (*at)++;
        const char *why = read_numbers(at, &g->levels[level]);
        if (why != NULL)
            return why;
    }
    return has(g, LOGICAL) ? check_lengths(g) : "missing logical identifier";
}

/* One number is that of all. */
static int32_t number_at(const Numbers *n, size_t i, int32_t otherwise) {
    return n->count == 0 ? otherwise : n->of[n->count == 1 ? 0 : i];
}

static CpuPlace place_at(const Group *g, size_t i) {
    bool is_outer = !has(g, PROCESSOR); /* where processors are not said, nodes are above them */
    const Numbers *node = &g->levels[is_outer ? PROCESSOR_NODE : NODE], none = {0};
    return (CpuPlace){.logical = number_at(&g->levels[LOGICAL], i, -1),
                      .thread = number_at(&g->levels[THREAD], i, 0),
                      .core = number_at(&g->levels[CORE], i, 0),
                      .processor = number_at(&g->levels[PROCESSOR], i, 0),
                      .processor_node = number_at(is_outer ? &none : &g->levels[PROCESSOR_NODE], i, -1),
                      .node = number_at(node, i, -1)};
}

static void add_places(Topology *t, const Group *g) {
    size_t more = g->levels[LOGICAL].count;
    t->places = mem_realloc(ALLOC_MISC, t->places, (t->count + more) * sizeof *t->places);
    for (size_t i = 0; i < more; i++)
        t->places[t->count++] = place_at(g, i);
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

static const char *const faults[] = {
    [TOPOLOGY_GOOD] = NULL,
    [TOPOLOGY_NUMBER_TWICE] = "not unique logical identifiers",
    [TOPOLOGY_PLACE_TWICE] = "not unique entities",
    [TOPOLOGY_NODES_DIFFER] = "invalid nodes declaration",
};

static const char *read_groups(const char *at, Topology *t) {
    const char *why = *at == '\0' ? "missing cpu topology" : NULL;
    while (*at != '\0' && why == NULL) {
        Group g = {0};
        why = read_group(&at, &g);
        if (why == NULL)
            add_places(t, &g);
        group_release(&g);
        at += *at == ':';
        if (t->count > CPU_PLACES_MAX)
            why = faults[TOPOLOGY_NUMBER_TWICE]; /* there are not that many numbers */
    }
    return why;
}

bool topology_flag(Settings *settings, const char *value, Text *why) {
    Topology t = {0};
    const char *fault = read_groups(value, &t);
    if (fault == NULL) {
        cpu_topology_sort(t.places, t.count);
        fault = faults[cpu_topology_check(t.places, t.count)];
    }
    if (fault != NULL) {
        topology_release(&t);
        text_format(why, "bad cpu topology '%s': %s", value, fault);
        return false;
    }
    mem_free(ALLOC_MISC, settings->places);
    settings->places = t.places;
    settings->place_count = t.count;
    return true;
}

static bool refuse_type(const char *name, const char *fault, Text *why) {
    text_format(why, "setting scheduler bind type '%s' failed: %s", name, fault);
    return false;
}

bool bind_type_flag(Settings *settings, const char *name, bool must_bind, Text *why) {
    static const char *const names[] = {
        [BIND_UNBOUND] = "u",
        [BIND_NO_SPREAD] = "ns",
        [BIND_THREAD_SPREAD] = "ts",
        [BIND_PROCESSOR_SPREAD] = "ps",
        [BIND_SPREAD] = "s",
        [BIND_NO_NODE_THREAD_SPREAD] = "nnts",
        [BIND_NO_NODE_PROCESSOR_SPREAD] = "nnps",
        [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = "tnnps",
    };
    BindType type = strcmp(name, "db") == 0 ? BIND_DEFAULT : 0;
    while (type < BIND_TYPE_COUNT && strcmp(name, "db") != 0 && strcmp(names[type], name) != 0)
        type++;
    if (type == BIND_TYPE_COUNT)
        return refuse_type(name, "invalid type", why);
    settings->bind_type = type;
    settings->must_bind = must_bind ? name : NULL;
    return true;
}

static bool has_processors(const Settings *settings) {
    CpuPlace first;
    return settings->place_count > 0 || (!settings->skips_detection && cpu_topology_detect(&first, 1) > 0);
}

bool bind_check(const Settings *settings, Text *why) {
    return settings->must_bind == NULL || settings->bind_type == BIND_UNBOUND || has_processors(settings) ||
           refuse_type(settings->must_bind, "no cpu topology available", why);
}

void binding_settle(const Settings *settings) {
    BindType before;
    if (settings->skips_detection)
        topology_skip_detection();
    if (settings->place_count > 0) {
        Topology old = topology_define((Topology){settings->places, settings->place_count});
        topology_release(&old);
    }
    if (settings->bind_type != BIND_UNBOUND)
        (void)!binding_set_type(settings->bind_type, &before); /* +stbt: or not */
}
