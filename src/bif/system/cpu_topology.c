#include "bif/system/cpu_topology.h"

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "code/export.h"
#include "sys/cpu_topology.h"
#include "sys/thread.h"
#include "term/atom.h"

#define LEVELS 6
#define NUMBER_MAX 65535

typedef struct {
    CpuPlace *places; /* sorted; NULL when there are none */
    size_t count;
} Topology;

static Mutex lock = MUTEX_INITIALIZER(LOCK_CPU_TOPOLOGY);
static Topology defined; /* under the lock */

static Topology detect(void) {
    size_t max = CPU_PLACES_MAX;
    Topology t = {.places = mem_alloc(ALLOC_TEMP, max * sizeof(CpuPlace))};
    t.count = cpu_topology_detect(t.places, max);
    return t;
}

static Term place_term(Area *area, const CpuPlace *c) {
    Term elements[1 + LEVELS] = {am_cpu,
                                 small_make(c->node),
                                 small_make(c->processor),
                                 small_make(c->processor_node),
                                 small_make(c->core),
                                 small_make(c->thread),
                                 small_make(c->logical)};
    return area_tuple(area, elements, 1 + LEVELS);
}

static Term topology_term(Area *area, const Topology *t) {
    Term list = NIL;
    for (size_t i = t->count; i-- > 0;)
        list = area_cons(area, place_term(area, &t->places[i]), list);
    return t->count == 0 ? am_undefined : list;
}

static Term detected_term(Area *area) {
    Topology t = detect();
    Term term = topology_term(area, &t);
    mem_free(ALLOC_TEMP, t.places);
    return term;
}

static Term defined_term(Area *area) {
    mutex_lock(&lock);
    Term term = topology_term(area, &defined);
    mutex_unlock(&lock);
    return term;
}

static Term used_term(Area *area) {
    Term term = defined_term(area);
    return term == am_undefined ? detected_term(area) : term;
}

Term get_cpu_topology(Process *p, Term which) {
    Area *area = process_area(p);
    Term term = which == am_detected ? detected_term(area) : which == am_defined ? defined_term(area) : used_term(area);
    return bif_trap(p, export_put(am_erlang, am_format_cpu_topology, 1), 1, &term);
}

static bool read_place(Term t, CpuPlace *place) {
    if (!is_tuple_arity(t, 1 + LEVELS) || tuple_elements(t)[0] != am_cpu)
        return false;
    const Term *e = tuple_elements(t) + 1;
    for (size_t i = 0; i < LEVELS; i++)
        if (!is_small_within(e[i], -1, NUMBER_MAX))
            return false;
    *place = (CpuPlace){.node = (int32_t)small_value(e[0]),
                        .processor = (int32_t)small_value(e[1]),
                        .processor_node = (int32_t)small_value(e[2]),
                        .core = (int32_t)small_value(e[3]),
                        .thread = (int32_t)small_value(e[4]),
                        .logical = (int32_t)small_value(e[5])};
    return true;
}

static bool is_same_place(const CpuPlace *a, const CpuPlace *b) {
    return a->node == b->node && a->processor == b->processor && a->processor_node == b->processor_node &&
           a->core == b->core && a->thread == b->thread;
}

/* Nodes are told of all or of none, and in the same way throughout a processor. */
static bool nodes_agree(const CpuPlace *a, const CpuPlace *b) {
    if ((a->node < 0 && a->processor_node < 0) != (b->node < 0 && b->processor_node < 0))
        return false;
    return a->processor != b->processor || (a->node == b->node && (a->processor_node < 0) == (b->processor_node < 0));
}

/* Sorted: what must not be told of two places shows in neighbours. No number is there twice. */
static bool is_consistent(const Topology *t) {
    for (size_t i = 1; i < t->count; i++) {
        const CpuPlace *a = &t->places[i - 1], *b = &t->places[i];
        if (is_same_place(a, b) || !nodes_agree(a, b))
            return false;
        for (size_t j = 0; j < i; j++)
            if (t->places[j].logical == b->logical)
                return false;
    }
    return true;
}

static bool read_topology(Term list, Topology *t) {
    for (; is_list(list); list = list_tail(list))
        if (!read_place(list_head(list), &t->places[t->count++]))
            return false;
    cpu_topology_sort(t->places, t->count);
    return is_consistent(t);
}

Term set_internal_cpu_topology(Process *p, Term value) {
    Topology t = {.count = 0};
    int64_t length = value == am_undefined ? 0 : list_length(value);
    if (value != am_undefined && (length < 1 || length > CPU_PLACES_MAX))
        return fail_badarg(p);
    if (length > 0) {
        t.places = mem_alloc(ALLOC_MISC, (size_t)length * sizeof(CpuPlace));
        if (!read_topology(value, &t)) {
            mem_free(ALLOC_MISC, t.places);
            return fail_badarg(p);
        }
    }
    Term old = used_term(process_area(p));
    mutex_lock(&lock);
    Topology before = defined;
    defined = t;
    mutex_unlock(&lock);
    mem_free(ALLOC_MISC, before.places);
    return old;
}
