#include "trace/caller.h"

#include "process/place.h"
#include "term/atom.h"

/* Of the first return address from `slot` on. */
static const Term *next_return(const Process *p, const Term *slot) {
    while (slot < p->heap.end && !is_return_address(*slot))
        slot++;
    return slot;
}

bool trace_caller_place(const Process *p, CodePlace *place) {
    for (const Term *slot = p->heap.area.limit; (slot = next_return(p, slot)) < p->heap.end; slot++)
        if (range_place(return_address_ip(*slot) - 1, place))
            return true;
    return false;
}

Term trace_caller(Process *p) {
    const FunctionHeader *f = NULL;
    for (const Term *slot = p->heap.area.limit; f == NULL && (slot = next_return(p, slot)) < p->heap.end; slot++)
        f = range_header(return_address_ip(*slot) - 1);
    return f != NULL ? function_term(process_area(p), f) : am_undefined;
}
