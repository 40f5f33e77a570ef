/* Stack traces: return addresses, compact while nobody asks, and lists of {M, F, A, Location} when somebody does. */
#include "emu/exception.h"

#include "code/location.h"
#include "process/trace_point.h"
#include "term/atom.h"

#include <string.h>

unsigned exception_depth = 8;

#define DEPTH_MAX 1024

/* Addresses are kept so that each lies within the instruction it names: a return address less one word. Those that
 * follow each other and are equal (a body-recursive function) count once. */
static size_t gather(const Process *p, const Word *I, const Word **addresses, size_t most) {
    size_t count = 0;
    const Word *before = I;
    if (I != NULL && most > 0)
        addresses[count++] = I;
    for (const Term *slot = p->heap.area.limit; slot < p->heap.end && count < most; slot++) {
        if (!is_return_address(*slot) || is_trace_return(*slot))
            continue;
        const Word *address = return_address_ip(*slot) - 1;
        if (address != before)
            addresses[count++] = before = address;
    }
    return count;
}

static Term raw_of(Process *p, Term class, Term first, const Word **addresses, size_t count) {
    Area *area = process_area(p);
    Term *bits = area_alloc(area, 2 + count);
    bits[0] = header_make(KIND_HEAP_BITS, 1 + count);
    bits[1] = count * 64;
    memcpy(bits + 2, addresses, count * sizeof *addresses);
    return area_tuple3(area, class, first, boxed_make(bits));
}

static size_t depth_now(void) { return exception_depth < DEPTH_MAX ? exception_depth : DEPTH_MAX; }

Term stacktrace_raw(Process *p, Term class, const Word *I, Term first) {
    const Word *addresses[DEPTH_MAX];
    size_t depth = depth_now(), most = first != NIL && depth > 0 ? depth - 1 : depth;
    return raw_of(p, class, first, addresses, gather(p, I, addresses, most));
}

Term stacktrace_raw_told(Process *p, Term class, const Word *I, Term first) {
    const Word *addresses[DEPTH_MAX];
    size_t count = gather(p, I, addresses, depth_now());
    return count == 0 ? raw_of(p, class, NIL, addresses, 0) : raw_of(p, class, first, addresses + 1, count - 1);
}

const Word *stacktrace_caller(const Process *p) {
    for (const Term *slot = p->heap.area.limit; slot < p->heap.end; slot++)
        if (is_return_address(*slot) && !is_trace_return(*slot))
            return return_address_ip(*slot) - 1;
    return NULL;
}

Term stacktrace_entry(Area *area, const CodePlace *place, Term arity_or_arguments, Term more) {
    Term location = more;
    if (place->line != 0) {
        location = area_cons(area, area_tuple2(area, am_line, small_make(place->line)), location);
        location = area_cons(area, area_tuple2(area, am_file, location_file(area, place)), location);
    }
    return area_tuple4(area, place->function->module, place->function->function, arity_or_arguments, location);
}

Term stacktrace_list(Area *area, Term first, const Word *const *addresses, size_t count) {
    Term list = NIL;
    while (count-- > 0) {
        CodePlace place;
        if (range_place(addresses[count], &place))
            list = area_cons(area, stacktrace_entry(area, &place, small_make((SWord)place.function->arity), NIL), list);
    }
    return first == NIL ? list : area_cons(area, first, list);
}

Term exception_stacktrace(Process *p, Term raw) {
    Term first = tuple_elements(raw)[1], bits = tuple_elements(raw)[2];
    if (bits == NIL)
        return first;
    const Word *words = boxed_ptr(bits);
    return stacktrace_list(process_area(p), first, (const Word *const *)(words + 2), words[1] / 64);
}

Term stacktrace_of_process(Process *of, const Word *I, unsigned depth, Area *area) {
    const Word *addresses[DEPTH_MAX];
    size_t count = gather(of, I, addresses, depth < DEPTH_MAX ? depth : DEPTH_MAX);
    return stacktrace_list(area, NIL, addresses, count);
}
