#include "bif/system/cpu_topology.h"

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/system/internal_state.h"
#include "code/export.h"
#include "sched/binding.h"
#include "sched/scheduler.h"
#include "sched/topology.h"
#include "term/atom.h"

#define LEVELS 6

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

static Term kind_term(Area *area, TopologyKind kind) {
    Topology t = topology_copy(kind);
    Term term = topology_term(area, &t);
    topology_release(&t);
    return term;
}

Term get_cpu_topology(Process *p, Term which) {
    TopologyKind kind = which == am_detected  ? TOPOLOGY_DETECTED
                        : which == am_defined ? TOPOLOGY_DEFINED
                                              : TOPOLOGY_USED;
    Term term = kind_term(process_area(p), kind);
    return bif_trap(p, export_put(am_erlang, am_format_cpu_topology, 1), 1, &term);
}

static bool read_place(Term t, CpuPlace *place) {
    if (!is_tuple_arity(t, 1 + LEVELS) || tuple_elements(t)[0] != am_cpu)
        return false;
    const Term *e = tuple_elements(t) + 1;
    for (size_t i = 0; i < LEVELS; i++)
        if (!is_small_within(e[i], -1, CPU_NUMBER_MAX))
            return false;
    *place = (CpuPlace){.node = (int32_t)small_value(e[0]),
                        .processor = (int32_t)small_value(e[1]),
                        .processor_node = (int32_t)small_value(e[2]),
                        .core = (int32_t)small_value(e[3]),
                        .thread = (int32_t)small_value(e[4]),
                        .logical = (int32_t)small_value(e[5])};
    return true;
}

static bool read_topology(Term list, Topology *t) {
    for (; is_list(list); list = list_tail(list))
        if (!read_place(list_head(list), &t->places[t->count++]))
            return false;
    cpu_topology_sort(t->places, t->count);
    return cpu_topology_check(t->places, t->count) == TOPOLOGY_GOOD;
}

Term set_internal_cpu_topology(Process *p, Term value) {
    Topology t = {.count = 0};
    int64_t length = value == am_undefined ? 0 : list_length(value);
    if (value != am_undefined && (length < 1 || length > CPU_PLACES_MAX))
        return fail_badarg(p);
    if (length > 0) {
        t.places = mem_alloc(ALLOC_MISC, (size_t)length * sizeof(CpuPlace));
        if (!read_topology(value, &t)) {
            topology_release(&t);
            return fail_badarg(p);
        }
    }
    Topology old = topology_define(t);
    Term term = topology_term(process_area(p), &old);
    topology_release(&old);
    binding_renew();
    return term;
}

Term update_cpu_info(Process *p) {
    bool changed = topology_detect_again();
    if (changed)
        binding_renew();
    return changed ? am_changed : am_unchanged;
}

static const Term bind_types[] = {
    [BIND_UNBOUND] = am_unbound,
    [BIND_NO_SPREAD] = am_no_spread,
    [BIND_THREAD_SPREAD] = am_thread_spread,
    [BIND_PROCESSOR_SPREAD] = am_processor_spread,
    [BIND_SPREAD] = am_spread,
    [BIND_NO_NODE_THREAD_SPREAD] = am_no_node_thread_spread,
    [BIND_NO_NODE_PROCESSOR_SPREAD] = am_no_node_processor_spread,
    [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = am_thread_no_node_processor_spread,
};
_Static_assert(array_length(bind_types) == BIND_TYPE_COUNT, "a name for each");

Term get_bind_type(Process *p) { return bind_types[binding_type()]; }

/* BIND_TYPE_COUNT: none is called so. */
static BindType bind_type_of(Term name) {
    BindType type = BIND_DEFAULT;
    if (name != am_default_bind)
        for (type = 0; type < BIND_TYPE_COUNT && bind_types[type] != name; type++) {
        }
    return type;
}

Term set_bind_type(Process *p, Term value) {
    BindType type = bind_type_of(value), old;
    if (type == BIND_TYPE_COUNT || !binding_set_type(type, &old))
        return fail_badarg(p);
    return bind_types[old];
}

static Term processors_term(Area *area, const Topology *t) {
    Term *tuple = area_alloc(area, 1 + t->count);
    tuple[0] = header_make(KIND_TUPLE, t->count);
    for (size_t i = 0; i < t->count; i++)
        tuple[1 + i] = small_make(t->places[i].logical);
    return boxed_make(tuple);
}

Term inside_bind_order(Process *p, Term name) {
    BindType type = bind_type_of(name);
    Topology t = topology_copy(TOPOLOGY_USED);
    Term answer = am_false;
    if (type == BIND_TYPE_COUNT || t.count == 0)
        answer = fail_badarg(p);
    else if (type != BIND_UNBOUND) {
        bind_order_sort(t.places, t.count, type);
        answer = processors_term(process_area(p), &t);
    }
    topology_release(&t);
    return answer;
}

Term get_scheduler_bindings(Process *p) {
    unsigned n = schedulers_options()->schedulers;
    Term *tuple = area_alloc(process_area(p), 1 + n);
    tuple[0] = header_make(KIND_TUPLE, n);
    for (unsigned i = 0; i < n; i++) {
        int32_t processor = binding_of(i);
        tuple[1 + i] = processor == BOUND_TO_NONE ? am_unbound : small_make(processor);
    }
    return boxed_make(tuple);
}
