/*
 * Tuples. Source: erlang(3). The largest tuple has 16,777,215 elements, as in the stock runtime.
 */
#include "bif/argument.h"
#include "base/copy_bytes.h"
#include "base/long_work.h"
#include "bif_table.h"

#define UNITS_PER_ELEMENT 2 /* of long work: to write it */

static Term *tuple_alloc(Process *p, size_t arity) {
    long_work_count_large(arity, UNITS_PER_ELEMENT);
    Term *tuple = area_alloc(process_area(p), 1 + arity);
    tuple[0] = header_make(KIND_TUPLE, arity);
    return tuple;
}

/* The place of an element that an index argument names; 0 when it names none in 1..last. */
static size_t tuple_index(Term index, size_t last) {
    return is_small_within(index, 1, (SWord)last) ? (size_t)small_value(index) : 0;
}

#define FEW 32
/* Mostly so few that a call would take longer. */
static inline void copy_elements(Term *to, const Term *from, size_t count) {
    if (unlikely(count > FEW))
        copy_bytes(to, from, count * sizeof(Term));
    else
        copy_few_words(to, from, count);
}

Term erlang_setelement_3(Process *p, const Term *a) {
    size_t at = is_tuple(a[1]) ? tuple_index(a[0], tuple_arity(a[1])) : 0;
    if (at == 0)
        return fail_badarg(p);
    size_t arity = tuple_arity(a[1]);
    Term *tuple = tuple_alloc(p, arity);
    copy_elements(tuple + 1, tuple_elements(a[1]), arity);
    tuple[at] = a[2];
    return boxed_make(tuple);
}

/* Or room is to be made first. */
static Term make_filled(Process *p, size_t arity, Term value) {
    if (process_lacks_room(p, 1 + arity))
        return bif_with_room(p, 1 + arity);
    Term *tuple = tuple_alloc(p, arity);
    for (size_t i = 1; i <= arity; i++)
        tuple[i] = value;
    process_bump(p, (int64_t)arity / 64);
    return boxed_make(tuple);
}

Term erlang_make_tuple_2(Process *p, const Term *a) {
    if (!is_small_within(a[0], 0, TUPLE_ARITY_MAX))
        return fail_badarg(p);
    return make_filled(p, (size_t)small_value(a[0]), a[1]);
}

Term erlang_make_tuple_3(Process *p, const Term *a) {
    if (!is_small_within(a[0], 0, TUPLE_ARITY_MAX) || list_length(a[2]) < 0)
        return fail_badarg(p);
    size_t arity = (size_t)small_value(a[0]);
    for (Term list = a[2]; is_list(list); list = list_tail(list)) {
        Term pair = list_head(list);
        if (!is_tuple_arity(pair, 2) || tuple_index(tuple_elements(pair)[0], arity) == 0)
            return fail_badarg(p);
    }
    Term tuple = make_filled(p, arity, a[1]);
    if (!is_value(tuple))
        return tuple;
    for (Term list = a[2]; is_list(list); list = list_tail(list)) {
        const Term *pair = tuple_elements(list_head(list));
        tuple_elements(tuple)[small_value(pair[0]) - 1] = pair[1];
    }
    return tuple;
}

/* `tuple` with `value` at place `at` (1 to arity + 1), what stood there and behind moved up. */
static Term insert_at(Process *p, Term old, size_t at, Term value) {
    size_t arity = tuple_arity(old);
    if (arity == TUPLE_ARITY_MAX)
        return fail_badarg(p);
    Term *tuple = tuple_alloc(p, arity + 1);
    const Term *from = tuple_elements(old);
    copy_elements(tuple + 1, from, at - 1);
    tuple[at] = value;
    copy_elements(tuple + at + 1, from + at - 1, arity - at + 1);
    return boxed_make(tuple);
}

Term erlang_append_element_2(Process *p, const Term *a) {
    if (!is_tuple(a[0]))
        return fail_badarg(p);
    return insert_at(p, a[0], tuple_arity(a[0]) + 1, a[1]);
}

Term erlang_insert_element_3(Process *p, const Term *a) {
    size_t at = is_tuple(a[1]) ? tuple_index(a[0], tuple_arity(a[1]) + 1) : 0;
    if (at == 0)
        return fail_badarg(p);
    return insert_at(p, a[1], at, a[2]);
}

Term erlang_delete_element_2(Process *p, const Term *a) {
    size_t at = is_tuple(a[1]) ? tuple_index(a[0], tuple_arity(a[1])) : 0;
    if (at == 0)
        return fail_badarg(p);
    size_t arity = tuple_arity(a[1]);
    const Term *from = tuple_elements(a[1]);
    Term *tuple = tuple_alloc(p, arity - 1);
    copy_elements(tuple + 1, from, at - 1);
    copy_elements(tuple + at, from + at, arity - at);
    return boxed_make(tuple);
}

Term erlang_list_to_tuple_1(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    int64_t arity = list_length(a[0]);
    if (arity < 0 || arity > TUPLE_ARITY_MAX)
        return fail_badarg(p);
    if (process_lacks_room(p, 1 + (size_t)arity))
        return bif_with_room(p, 1 + (size_t)arity);
    Term *tuple = tuple_alloc(p, (size_t)arity);
    Term *to = tuple + 1;
    for (Term list = a[0]; is_list(list); list = list_tail(list))
        *to++ = list_head(list);
    process_bump(p, arity / 64);
    return boxed_make(tuple);
}

Term erlang_tuple_to_list_1(Process *p, const Term *a) {
    if (!is_tuple(a[0]))
        return fail_badarg(p);
    size_t arity = tuple_arity(a[0]);
    if (process_lacks_room(p, 2 * arity))
        return bif_with_room(p, 2 * arity);
    LONG_WORK_OPEN_IF(arity > LONG_WORK_LEAST);
    process_bump(p, (int64_t)arity / 64);
    long_work_count_large(arity, UNITS_PER_ELEMENT);
    return area_list(process_area(p), tuple_elements(a[0]), arity);
}
