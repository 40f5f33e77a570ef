/*
 * Drivers: libraries of the kind that the stock runtime has behind its ports. None can be loaded here, and that is what
 * who tries is told. Source: erl_ddll(3).
 */
#include <string.h>

#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"

#define OPEN_ERROR (-1) /* as the stock runtime has it for what was opened and is no driver */

static bool is_text(Term t) {
    TEXT(text);
    return is_atom(t) || text_from_characters(&text, t, SIZE_MAX) == CHARACTERS_OK;
}

/* {driver_options, _}, {monitor, _} and {reload, _} */
static bool are_options(Term list) {
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        Term name = is_tuple_arity(option, 2) ? tuple_elements(option)[0] : NIL;
        if (name != am_driver_options && name != am_monitor && name != am_reload)
            return false;
    }
    return is_nil(list);
}

Term erl_ddll_try_load_3(Process *p, const Term *a) {
    if (!is_text(a[0]) || !is_text(a[1]) || !are_options(a[2]))
        return fail_badarg(p);
    Term why = area_tuple2(process_area(p), am_open_error, small_make(OPEN_ERROR));
    return area_tuple2(process_area(p), am_error, why);
}

Term erl_ddll_try_unload_2(Process *p, const Term *a) {
    if (!is_text(a[0]) || list_length(a[1]) < 0)
        return fail_badarg(p);
    return area_tuple2(process_area(p), am_error, am_not_loaded);
}

Term erl_ddll_loaded_drivers_0(Process *p, const Term *a) { return area_tuple2(process_area(p), am_ok, NIL); }

Term erl_ddll_format_error_int_1(Process *p, const Term *a) {
    const char *text = is_tuple_arity(a[0], 2) && tuple_elements(a[0])[0] == am_open_error ? "drivers are not supported"
                       : a[0] == am_not_loaded                                             ? "DDLL driver is not loaded"
                                                                                           : NULL;
    return text != NULL ? list_from_bytes(process_area(p), text, strlen(text), NIL) : fail_badarg(p);
}
