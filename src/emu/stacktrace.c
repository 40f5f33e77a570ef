/* Raw traces: return addresses, compact while nobody asks for the list. */
#include "emu/exception.h"

#include "process/trace_point.h"
#include "term/atom.h"
#include "term/map.h"

static Term raw_of(Process *p, Term class, Term first, const Word **addresses, size_t count) {
    Area *area = process_area(p);
    Term *bits = area_alloc(area, 2 + count);
    bits[0] = header_make(KIND_HEAP_BITS, 1 + count);
    bits[1] = count * 64;
    for (size_t i = 0; i < count; i++) /* few */
        bits[2 + i] = (Word)(uintptr_t)addresses[i];
    return area_tuple3(area, class, first, boxed_make(bits));
}

static size_t depth_now(void) {
    unsigned depth = atomic_load_explicit(&exception_depth, memory_order_relaxed); /* once: others may set it */
    return depth == 0 ? 1 : depth < STACKTRACE_DEPTH_MAX ? depth : STACKTRACE_DEPTH_MAX; /* where it failed is told */
}

Term stacktrace_raw(Process *p, Term class, const Word *I, Term first) {
    const Word *addresses[STACKTRACE_DEPTH_MAX];
    size_t depth = depth_now(), most = first != NIL && depth > 0 ? depth - 1 : depth;
    return raw_of(p, class, first, addresses, stacktrace_addresses(p, I, addresses, most));
}

Term stacktrace_raw_told(Process *p, Term class, const Word *I, Term first) {
    const Word *addresses[STACKTRACE_DEPTH_MAX];
    size_t count = stacktrace_addresses(p, I, addresses, depth_now());
    return count == 0 ? raw_of(p, class, NIL, addresses, 0) : raw_of(p, class, first, addresses + 1, count - 1);
}

Term stacktrace_raw_unplaced(Process *p, Term raw) {
    const Term *parts = tuple_elements(raw);
    return area_tuple4(process_area(p), parts[0], parts[1], parts[2], am_undefined);
}

const Word *stacktrace_caller(const Process *p) {
    for (const Term *slot = p->heap.area.limit; slot < p->heap.end; slot++)
        if (is_return_address(*slot) && !is_trace_return(*slot))
            return return_address_ip(*slot) - 1;
    return NULL;
}

Term stacktrace_explainer(Term module) {
    static const Term erts[] = {am_erlang, am_erts_internal, am_atomics, am_counters, am_persistent_term};
    static const Term stdlib[] = {am_lists, am_maps, am_binary, am_unicode, am_math, am_ets, am_re};
    for (size_t i = 0; i < array_length(erts); i++)
        if (module == erts[i])
            return am_erl_erts_errors;
    for (size_t i = 0; i < array_length(stdlib); i++)
        if (module == stdlib[i])
            return am_erl_stdlib_errors;
    return module == am_os ? am_erl_kernel_errors : NON_VALUE;
}

Term stacktrace_error_info(Area *area, Term module, Term cause) {
    if (!is_value(module))
        return NIL;
    Term map;
    if (is_value(cause))
        map = flat_map_make(area, area_tuple2(area, am_cause, am_module), (Term[]){cause, module}, 2);
    else
        map = flat_map_make(area, area_tuple(area, &(Term){am_module}, 1), &module, 1);
    return area_cons(area, area_tuple2(area, am_error_info, map), NIL);
}

/* The entry that {Export, Arguments} stands for. */
static Term bif_entry(Area *area, Term first) {
    const Term *parts = tuple_elements(first);
    const Export *bif = (const Export *)(uintptr_t)small_value(parts[0]);
    Term location = stacktrace_error_info(area, stacktrace_explainer(bif->module), NON_VALUE);
    return area_tuple4(area, bif->module, bif->function, parts[1], location);
}

Term exception_stacktrace(Process *p, Term raw) {
    Term first = tuple_elements(raw)[1], bits = tuple_elements(raw)[2];
    if (bits == NIL)
        return first;
    if (first != NIL && tuple_arity(first) == 2)
        first = bif_entry(process_area(p), first);
    const Word *words = boxed_ptr(bits);
    return stacktrace_list(process_area(p), first, (const Word *const *)(words + 2), words[1] / 64);
}
