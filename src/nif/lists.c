/* Lists and tuples. */
#include "nif/env.h"
#include "nif/zero.h"

ERL_NIF_TERM enif_make_list_cell(ErlNifEnv *env, ERL_NIF_TERM head, ERL_NIF_TERM tail) {
    return area_cons(env->area, nif_take(head), nif_take(tail));
}

/* Room for a list of `count` cells, linked. */
static Term *cells_make(ErlNifEnv *env, unsigned count) {
    Term *cells = area_alloc(env->area, 2 * (size_t)count);
    for (unsigned i = 0; i < count; i++)
        cells[2 * (size_t)i + 1] = i + 1 < count ? list_make(cells + 2 * (size_t)i + 2) : NIL;
    return cells;
}

ERL_NIF_TERM enif_make_list(ErlNifEnv *env, unsigned count, ...) {
    if (count == 0)
        return NIL;
    Term *cells = cells_make(env, count);
    va_list elements;
    va_start(elements, count);
    for (unsigned i = 0; i < count; i++)
        cells[2 * (size_t)i] = nif_take(va_arg(elements, ERL_NIF_TERM));
    va_end(elements);
    return list_make(cells);
}

ERL_NIF_TERM enif_make_list_from_array(ErlNifEnv *env, const ERL_NIF_TERM elements[], unsigned count) {
    if (count == 0)
        return NIL;
    Term *cells = cells_make(env, count);
    for (unsigned i = 0; i < count; i++)
        cells[2 * (size_t)i] = nif_take(elements[i]);
    return list_make(cells);
}

int enif_get_list_cell(ErlNifEnv *env, ERL_NIF_TERM list, ERL_NIF_TERM *head, ERL_NIF_TERM *tail) {
    if (!is_list(list))
        return 0;
    *head = nif_give(list_head(list));
    *tail = nif_give(list_tail(list));
    return 1;
}

int enif_get_list_length(ErlNifEnv *env, ERL_NIF_TERM list, unsigned *length) {
    unsigned count = 0;
    for (; is_list(list); list = list_tail(list))
        count++;
    if (!is_nil(list))
        return 0;
    *length = count;
    return 1;
}

int enif_make_reverse_list(ErlNifEnv *env, ERL_NIF_TERM list, ERL_NIF_TERM *reversed) {
    unsigned length;
    if (!enif_get_list_length(env, list, &length))
        return 0;
    Term result = NIL;
    for (; is_list(list); list = list_tail(list))
        result = area_cons(env->area, list_head(list), result);
    *reversed = result;
    return 1;
}

static Term *tuple_make(ErlNifEnv *env, unsigned count) {
    Term *tuple = area_alloc(env->area, (size_t)count + 1);
    tuple[0] = header_make(KIND_TUPLE, count);
    return tuple;
}

ERL_NIF_TERM enif_make_tuple(ErlNifEnv *env, unsigned count, ...) {
    Term *tuple = tuple_make(env, count);
    va_list elements;
    va_start(elements, count);
    for (unsigned i = 0; i < count; i++)
        tuple[i + 1] = nif_take(va_arg(elements, ERL_NIF_TERM));
    va_end(elements);
    return boxed_make(tuple);
}

ERL_NIF_TERM enif_make_tuple_from_array(ErlNifEnv *env, const ERL_NIF_TERM elements[], unsigned count) {
    Term *tuple = tuple_make(env, count);
    nif_take_all(tuple + 1, elements, count);
    return boxed_make(tuple);
}

int enif_get_tuple(ErlNifEnv *env, ERL_NIF_TERM tuple, int *arity, const ERL_NIF_TERM **elements) {
    if (!is_tuple(tuple))
        return 0;
    *arity = (int)tuple_arity(tuple);
    *elements = tuple_elements(tuple);
    return 1;
}
