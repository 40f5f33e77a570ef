#include "trace/caller.h"

#include "process/place.h"
#include "term/atom.h"

bool trace_caller_place(const Process *p, CodePlace *place) {
    for (const Term *slot = p->heap.area.limit; slot < p->heap.end; slot++)
        if (is_return_address(*slot) && range_place(return_address_ip(*slot) - 1, place))
            return true;
    return false;
}

Term trace_caller(Process *p) {
    const FunctionHeader *f = NULL;
    for (const Term *slot = p->heap.area.limit; f == NULL && slot < p->heap.end; slot++)
        if (is_return_address(*slot))
            f = range_header(return_address_ip(*slot) - 1);
    return f != NULL ? function_term(process_area(p), f) : am_undefined;
}
