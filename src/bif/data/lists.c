/*
 * Lists: searches, `++`, reverse. `--` is in subtract.c. Source: lists(3), erlang(3).
 *
 * Searches stop at the first hit, so a bad tail behind it does no harm; the others want a proper list throughout.
 */
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/cells.h"
#include "term/compare.h"
#include "term/stock_word.h"

/* Cells that one reduction pays for, and the most that a search visits before it gives up its slice. */
#define CELLS_PER_REDUCTION 16
#define SEARCH_ROUND 50000

/* What is left of the reductions when `cells` more have been visited. */
static void charge(Process *p, int64_t cells) { process_bump(p, cells / CELLS_PER_REDUCTION); }

Term lists_member_2(Process *p, const Term *a) {
    int64_t n = 0;
    Term list = a[1];
    Word stride = CELL_STRIDE;
    for (; is_list(list); list = next_cell(list, &stride), n++) {
        if (term_identical(list_head(list), a[0]))
            break;
        if (unlikely(n == SEARCH_ROUND))
            return bif_later(p, am_lists, am_member, 2, (Term[]){a[0], list});
    }
    charge(p, n);
    if (is_list(list))
        return am_true;
    return is_nil(list) ? am_false : fail_badarg(p);
}

#define UNITS_PER_CELL 3 /* of long work */

/* Moves cells of *list in front of `tail`, as long as there is room in the heap. */
static Term reverse_in_heap(Area *area, Term *list, Term tail) {
    Term *cells = area->top, t = *list;
    unsigned left = LONG_WORK_ROUND;
    Word stride = CELL_STRIDE;
    for (; is_list(t) && area->limit - cells >= 2; t = next_cell(t, &stride), cells += 2) {
        left = long_work_step(left, UNITS_PER_CELL);
        cells[0] = list_head(t);
        cells[1] = tail;
        tail = list_make(cells);
    }
    long_work_rest(left, UNITS_PER_CELL);
    area->top = cells;
    *list = t;
    return tail;
}

/* Of so many cells some were built, and are given up: there is to be room for all. To count them first would build none
 * twice, but a walk costs as much as building does, each time, where giving up costs once for each collection: 1000
 * cells took 2.7 us instead of 1.5, and 30,000 took 80 us instead of 42. */
static bool wants_room(Process *p, Term *start, int64_t cells) {
    Area *area = process_area(p);
    Term *top = area->top;
    area->top = start;
    if (process_lacks_room(p, 2 * (size_t)cells))
        return true;
    area->top = top;
    return false;
}

/* What does not fit the heap is counted, so that it lies together. */
Term lists_reverse_2(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    Area *area = process_area(p);
    Term list = a[0], *start = area->top, result = reverse_in_heap(area, &list, a[1]);
    int64_t in_heap = (area->top - start) / 2, count = list_length(list);
    if (count < 0) {
        area->top = start;
        return fail_badarg(p);
    }
    if (count > 0 && wants_room(p, start, in_heap + count))
        return bif_with_room(p, 2 * (size_t)(in_heap + count));
    charge(p, in_heap + count);
    if (count == 0)
        return result;
    Term *cells = area_alloc(area, 2 * (size_t)count);
    for (; is_list(list); list = list_tail(list), cells += 2) {
        cells[0] = list_head(list);
        cells[1] = result;
        result = list_make(cells);
    }
    return result;
}

/* What equals a key beside itself: nothing; no other small integer (at anything else the walk stops); whatever
 * term_equal says. */
typedef enum { NOTHING_ELSE, NO_OTHER_SMALL, PERHAPS_ANYTHING } Equals;

/* A walk over a list of tuples: where it has come to, and how many elements it may look at yet. */
typedef struct {
    Term list;
    int64_t left;
} Walk;

/* To the first tuple whose element at a position equals a key; NIL: it is not among those that were looked at. Mostly
 * all tuples are of one size: that of the last one is not looked into again. */
force_inline Term walk_to(Walk *w, size_t at, Term key, Equals equals) {
    Term l = w->list, found = NIL, header = NON_VALUE;
    int64_t left = w->left;
    Word stride = CELL_STRIDE;
    for (; is_list(l) && left != 0; l = next_cell(l, &stride)) {
        __asm__("" : "+r"(left)); /* one counter, not two */
        left--;
        Term t = list_head(l);
        if (unlikely(!is_boxed(t)))
            continue;
        if (unlikely(boxed_header(t) != header)) {
            if (!is_tuple_of_at_least(t, at))
                continue;
            header = boxed_header(t);
        }
        Term element = tuple_elements(t)[at - 1];
        if (element == key || (equals == PERHAPS_ANYTHING && unlikely(term_equal(element, key)))) {
            found = t;
            break;
        }
        if (equals == NO_OTHER_SMALL && unlikely(!is_small(element)))
            break;
    }
    *w = (Walk){l, left};
    return found;
}

static noinline Term walk_to_any(Walk *w, size_t at, Term key) { return walk_to(w, at, key, PERHAPS_ANYTHING); }

force_inline Term walk_to_small(Walk *w, size_t at, Term key) {
    Term found = walk_to(w, at, key, NO_OTHER_SMALL);
    bool is_left = is_nil(found) && is_list(w->list) && w->left > 0;
    return unlikely(is_left) ? walk_to_any(w, at, key) : found;
}

static noinline Term key_later(Process *p, const Term *a, Term name, Term list) {
    return bif_later(p, am_lists, name, 3, (Term[]){a[0], a[1], list});
}

/* The first tuple in the list whose element at a position equals a key; NIL when there is none, NON_VALUE when an
 * argument is bad or the rest of the list comes later. `a` are key, position and list, as for lists:`name`/3. */
force_inline Term key_find(Process *p, const Term *a, Term name) {
    if (unlikely(!is_small_within(a[1], 1, STOCK_SMALL_MAX)))
        return fail_badarg(p);
    size_t at = (size_t)small_value(a[1]);
    if (unlikely(at > TUPLE_ARITY_MAX))
        at = TUPLE_ARITY_MAX + 1;
    Walk w = {a[2], SEARCH_ROUND + 1};
    Term found = likely(is_atom(a[0])) ? walk_to(&w, at, a[0], NOTHING_ELSE)
                 : is_small(a[0])      ? walk_to_small(&w, at, a[0])
                                       : walk_to_any(&w, at, a[0]);
    if (unlikely(w.left == 0))
        return key_later(p, a, name, w.list);
    charge(p, SEARCH_ROUND + 1 - w.left);
    return !is_nil(found) || is_nil(w.list) ? found : fail_badarg(p);
}

Term lists_keyfind_3(Process *p, const Term *a) {
    Term found = key_find(p, a, am_keyfind);
    return is_nil(found) ? am_false : found;
}

Term lists_keymember_3(Process *p, const Term *a) {
    Term found = key_find(p, a, am_keymember);
    return is_value(found) ? bool_term(!is_nil(found)) : NON_VALUE;
}

Term lists_keysearch_3(Process *p, const Term *a) {
    Term found = key_find(p, a, am_keysearch);
    if (!is_value(found))
        return NON_VALUE;
    return is_nil(found) ? am_false : area_tuple2(process_area(p), am_value, found);
}

/* Copies cells of *list to [cells, limit), as many as fit or there are. `last` is where the first of them belongs;
 * returns where the next one does. */
static Term *copy_cells(Term *cells, const Term *limit, Term *list, Term *last) {
    Term t = *list;
    unsigned left = LONG_WORK_ROUND;
    for (; is_list(t) && limit - cells >= 2; t = list_tail(t), cells += 2) {
        left = long_work_step(left, UNITS_PER_CELL);
        *last = list_make(cells);
        cells[0] = list_head(t);
        last = cells + 1;
    }
    long_work_rest(left, UNITS_PER_CELL);
    *list = t;
    return last;
}

/* Copied while its end is looked for; what does not fit the heap is counted, so that it lies together. */
Term erlang_append_2(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    if (is_nil(a[1]))
        return list_length(a[0]) < 0 ? fail_badarg(p) : a[0];
    Area *area = process_area(p);
    Term list = a[0], result, *start = area->top, *last = copy_cells(start, area->limit, &list, &result);
    area->top = last == &result ? start : last + 1;
    int64_t in_heap = (area->top - start) / 2, count = list_length(list);
    if (count < 0) {
        area->top = start;
        return fail_badarg(p);
    }
    if (count > 0 && wants_room(p, start, in_heap + count))
        return bif_with_room(p, 2 * (size_t)(in_heap + count));
    charge(p, in_heap + count);
    if (count > 0) {
        Term *cells = area_alloc(area, 2 * (size_t)count);
        last = copy_cells(cells, cells + 2 * count, &list, last);
    }
    *last = a[1];
    return result;
}
