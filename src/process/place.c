#include "process/place.h"

#include "term/atom.h"

Term function_term(Area *area, const FunctionHeader *f) {
    return area_tuple3(area, f->module, f->function, small_make((SWord)f->arity));
}

Term place_mfa(Area *area, const CodePlace *place) { return function_term(area, place->function); }

bool process_has_left_all(const Process *p) {
    return (p->flags & FLAG_HIBERNATED) != 0 && p->ip == process_entries.apply;
}

Term place_of_process(const Process *p, Area *area) {
    return process_is_exiting(p) ? small_make(0) : place_in_code(p, area);
}

Term place_in_code(const Process *p, Area *area) {
    CodePlace place;
    if (process_has_left_all(p))
        return area_tuple3(area, am_erlang, am_hibernate, small_make(3));
    if (p->ip != NULL && range_place(process_place(p), &place))
        return place_mfa(area, &place);
    return area_tuple3(area, p->initial_module, p->initial_function, small_make((SWord)p->initial_arity));
}
