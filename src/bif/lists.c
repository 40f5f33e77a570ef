/*
 * Lists: searches, `++`, reverse. `--` is in subtract.c. Source: lists(3), erlang(3).
 *
 * Searches stop at the first hit, so a bad tail behind it does no harm; the others want a proper list throughout.
 */
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/compare.h"

/* Cells that one reduction pays for. */
#define CELLS_PER_REDUCTION 16

/* What is left of the reductions when `cells` more have been visited. */
static void charge(Process *p, int64_t cells) { process_bump(p, cells / CELLS_PER_REDUCTION); }

Term lists_member_2(Process *p, const Term *a) {
    int64_t n = 0;
    Term list = a[1];
    for (; is_list(list); list = list_tail(list), n++)
        if (term_identical(list_head(list), a[0]))
            break;
    charge(p, n);
    if (is_list(list))
        return am_true;
    return is_nil(list) ? am_false : fail_badarg(p);
}

Term lists_reverse_2(Process *p, const Term *a) {
    int64_t count = list_length(a[0]);
    if (count < 0)
        return fail_badarg(p);
    if (count == 0)
        return a[1];
    Term *cells = area_alloc(process_area(p), 2 * (size_t)count), result = a[1];
    for (Term list = a[0]; is_list(list); list = list_tail(list), cells += 2) {
        cells[0] = list_head(list);
        cells[1] = result;
        result = list_make(cells);
    }
    charge(p, count);
    return result;
}

/* The first tuple in the list whose element at `position` equals `key`; NIL when there is none, NON_VALUE when an
 * argument is bad. */
static Term key_find(Process *p, Term key, Term position, Term list) {
    if (!is_small_within(position, 1, SMALL_MAX))
        return NON_VALUE;
    size_t at = (size_t)small_value(position);
    int64_t n = 0;
    Term found = NIL;
    for (; is_list(list); list = list_tail(list), n++) {
        Term t = list_head(list);
        if (is_tuple(t) && tuple_arity(t) >= at && term_equal(tuple_elements(t)[at - 1], key)) {
            found = t;
            break;
        }
    }
    charge(p, n);
    return is_list(list) || is_nil(list) ? found : NON_VALUE;
}

Term lists_keyfind_3(Process *p, const Term *a) {
    Term found = key_find(p, a[0], a[1], a[2]);
    return !is_value(found) ? fail_badarg(p) : is_nil(found) ? am_false : found;
}

Term lists_keymember_3(Process *p, const Term *a) {
    Term found = key_find(p, a[0], a[1], a[2]);
    return !is_value(found) ? fail_badarg(p) : bool_term(!is_nil(found));
}

Term lists_keysearch_3(Process *p, const Term *a) {
    Term found = key_find(p, a[0], a[1], a[2]);
    if (!is_value(found))
        return fail_badarg(p);
    return is_nil(found) ? am_false : area_tuple2(process_area(p), am_value, found);
}

Term erlang_append_2(Process *p, const Term *a) {
    int64_t count = list_length(a[0]);
    if (count < 0)
        return fail_badarg(p);
    if (count == 0)
        return a[1];
    if (is_nil(a[1]))
        return a[0];
    Term *cells = area_alloc(process_area(p), 2 * (size_t)count), *to = cells;
    for (Term list = a[0]; is_list(list); list = list_tail(list), to += 2) {
        to[0] = list_head(list);
        to[1] = list_make(to + 2);
    }
    to[-1] = a[1];
    charge(p, count);
    return list_make(cells);
}
