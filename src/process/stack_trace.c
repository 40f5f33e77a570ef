#include "process/stack_trace.h"

#include "code/location.h"
#include "process/trace_point.h"
#include "term/atom.h"

_Atomic unsigned exception_depth = 8;

size_t stacktrace_addresses_within(const Process *p, const Word *I, const Word **addresses, size_t most, size_t words,
                                   bool *is_whole) {
    const Term *slot = p->heap.area.limit;
    const Term *end = words < (size_t)(p->heap.end - slot) ? slot + words : p->heap.end;
    size_t count = 0;
    const Word *before = I;
    if (I != NULL && most > 0)
        addresses[count++] = I;
    for (; slot < end && count < most; slot++) {
        if (!is_return_address(*slot) || is_trace_return(*slot))
            continue;
        const Word *address = return_address_ip(*slot) - 1;
        if (address != before)
            addresses[count++] = before = address;
    }
    *is_whole = slot == p->heap.end;
    return count;
}

size_t stacktrace_addresses(const Process *p, const Word *I, const Word **addresses, size_t most) {
    bool is_whole;
    return stacktrace_addresses_within(p, I, addresses, most, SIZE_MAX, &is_whole);
}

/* `file`: a string for which there is a line. */
static Term entry_at(Area *area, const CodePlace *place, Term arity_or_arguments, Term file, Term more) {
    const FunctionHeader *f = place->function;
    if (place->line == 0)
        return area_tuple4(area, f->module, f->function, arity_or_arguments, more);
    Term *p = area_alloc(area, 5 + 2 * PAIR_CELL_WORDS);
    Term line = pair_cell_put(p + 5 + PAIR_CELL_WORDS, am_line, small_make(place->line), more);
    p[0] = header_make(KIND_TUPLE, 4);
    p[1] = f->module;
    p[2] = f->function;
    p[3] = arity_or_arguments;
    p[4] = pair_cell_put(p + 5, am_file, file, line);
    return boxed_make(p);
}

Term stacktrace_entry(Area *area, const CodePlace *place, Term arity_or_arguments, Term more) {
    Term file = place->line != 0 ? location_file(area, place) : NIL;
    return entry_at(area, place, arity_or_arguments, file, more);
}

/* Frames side by side are mostly of one module and of one file, and share its name. */
Term stacktrace_list(Area *area, Term first, const Word *const *addresses, size_t count) {
    Term list = NIL, file = NIL;
    CodePlace last = {0};
    const ModuleInstance *instance = NULL;
    while (count-- > 0) {
        CodePlace place;
        if ((instance == NULL || !range_place_in(instance, addresses[count], &place)) &&
            !range_place(addresses[count], &place))
            continue;
        instance = place.instance;
        if (place.line != 0 && (instance != last.instance || place.file != last.file)) {
            file = location_file(area, &place);
            last = place;
        }
        list = area_cons(area, entry_at(area, &place, small_make((SWord)place.function->arity), file, NIL), list);
    }
    return first == NIL ? list : area_cons(area, first, list);
}

Term stacktrace_of_process(Process *of, const Word *I, unsigned depth, Area *area) {
    const Word *addresses[STACKTRACE_DEPTH_MAX];
    size_t count = stacktrace_addresses(of, I, addresses, depth < STACKTRACE_DEPTH_MAX ? depth : STACKTRACE_DEPTH_MAX);
    return stacktrace_list(area, NIL, addresses, count);
}
