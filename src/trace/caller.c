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
    CodePlace place;
    return trace_caller_place(p, &place) ? place_mfa(process_area(p), &place) : am_undefined;
}
