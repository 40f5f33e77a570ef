/*
 * Maps. Source: maps(3). What is no map is {badmap, Term}; a key that had to be there, {badkey, Key}.
 */
#include "term/map.h"
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/integer.h"

#define LONG_MAP 5000    /* pairs */
#define UNITS_PER_PAIR 5 /* of long work, to check and to gather */

static Term badmap(Process *p, Term t) { return fail_value(p, FAIL_BADMAP, t); }

Term maps_find_2(Process *p, const Term *a) {
    if (!is_map(a[1]))
        return badmap(p, a[1]);
    const Term *value = map_get(a[1], a[0]);
    return value ? area_tuple2(process_area(p), am_ok, *value) : am_error;
}

static Term listed(Process *p, Term map, Term list(Area *, Term)) {
    if (!is_map(map))
        return badmap(p, map);
    size_t size = map_size(map);
    if (process_lacks_room(p, 2 * size))
        return bif_with_room(p, 2 * size);
    LONG_WORK_OPEN_IF(size > LONG_MAP);
    process_bump(p, (int64_t)size / 16);
    return list(process_area(p), map);
}

Term maps_keys_1(Process *p, const Term *a) { return listed(p, a[0], map_keys); }
Term maps_values_1(Process *p, const Term *a) { return listed(p, a[0], map_values); }

Term maps_put_3(Process *p, const Term *a) {
    return is_map(a[2]) ? map_put(process_area(p), a[2], a[0], a[1]) : badmap(p, a[2]);
}

Term maps_update_3(Process *p, const Term *a) {
    if (!is_map(a[2]))
        return badmap(p, a[2]);
    Term map = map_update(process_area(p), a[2], a[0], a[1]);
    return is_value(map) ? map : fail_value(p, FAIL_BADKEY, a[0]);
}

Term maps_remove_2(Process *p, const Term *a) {
    return is_map(a[1]) ? map_remove(process_area(p), a[1], a[0], NULL) : badmap(p, a[1]);
}

Term maps_take_2(Process *p, const Term *a) {
    if (!is_map(a[1]))
        return badmap(p, a[1]);
    Term value = NON_VALUE;
    Term map = map_remove(process_area(p), a[1], a[0], &value);
    return is_value(value) ? area_tuple2(process_area(p), value, map) : am_error;
}

/* Pairs that are gathered before a map is made of them: outside the heap, where nothing collects meanwhile. */
typedef struct {
    Term *pairs, few[2 * MAP_FLAT_MAX];
} Gathered;

static Term *gather(Gathered *g, size_t count) {
    return g->pairs = count <= MAP_FLAT_MAX ? g->few : mem_alloc(ALLOC_TEMP, 2 * count * sizeof(Term));
}

static Term map_of(Process *p, Gathered *g, size_t count) {
    Term map = map_from_pairs(process_area(p), g->pairs, count);
    if (g->pairs != g->few)
        mem_free(ALLOC_TEMP, g->pairs);
    process_bump(p, (int64_t)count / 4);
    return map;
}

/* The pairs of a list that a small map can hold: how many. -1: it is longer, or no list of pairs. */
static int64_t gather_few(Term list, Term *pairs) {
    size_t count = 0;
    for (; is_list(list) && count < MAP_FLAT_MAX; list = list_tail(list), count++) {
        if (!is_tuple_arity(list_head(list), 2))
            return -1;
        const Term *pair = tuple_elements(list_head(list));
        pairs[2 * count] = pair[0];
        pairs[2 * count + 1] = pair[1];
    }
    return is_nil(list) ? (int64_t)count : -1;
}

static Term map_of_pairs(Process *p, Term list, size_t count) {
    Gathered g;
    for (Term *to = gather(&g, count); is_list(list); list = list_tail(list), to += 2) {
        const Term *pair = tuple_elements(list_head(list));
        to[0] = pair[0];
        to[1] = pair[1];
    }
    return map_of(p, &g, count);
}

static Term map_of_keys(Process *p, Term list, size_t count, Term value) {
    Gathered g;
    for (Term *to = gather(&g, count); is_list(list); list = list_tail(list), to += 2) {
        to[0] = list_head(list);
        to[1] = value;
    }
    return map_of(p, &g, count);
}

Term maps_from_list_1(Process *p, const Term *a) {
    Gathered g = {.pairs = g.few};
    int64_t count = gather_few(a[0], g.few);
    if (likely(count >= 0))
        return map_of(p, &g, (size_t)count);
    LONG_WORK_OPEN;
    count = list_length(a[0]);
    if (count < 0)
        return fail_badarg(p);
    long_work_count_large((size_t)count, UNITS_PER_PAIR);
    for (Term list = a[0]; is_list(list); list = list_tail(list))
        if (!is_tuple_arity(list_head(list), 2))
            return fail_badarg(p);
    return map_of_pairs(p, a[0], (size_t)count);
}

Term maps_from_keys_2(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    int64_t count = list_length(a[0]);
    if (count < 0)
        return fail_badarg(p);
    long_work_count_large((size_t)count, UNITS_PER_PAIR);
    return map_of_keys(p, a[0], (size_t)count, a[1]);
}

Term maps_merge_2(Process *p, const Term *a) {
    if (!is_map(a[0]))
        return badmap(p, a[0]);
    if (!is_map(a[1]))
        return badmap(p, a[1]);
    size_t count = map_size(a[0]) + map_size(a[1]);
    process_bump(p, (int64_t)count / 16);
    LONG_WORK_OPEN_IF(count > LONG_MAP);
    return map_merge(process_area(p), a[0], a[1]);
}

Term erts_internal_map_to_tuple_keys_1(Process *p, const Term *a) {
    if (is_flat_map(a[0]))
        return flat_map_ptr(a[0])->keys;
    return is_map(a[0]) ? fail_badarg(p) : badmap(p, a[0]);
}

/*
 * erts_internal:map_next(Path, Map, iterator | Acc): some pairs, and where to go on. As an iterator they are nested,
 * {K, V, {K, V, Next}}, with Next = none or [Path | Map]; in front of a list Acc they are {K, V} tuples, and what comes
 * before them, if the map is not at its end, is Path, Map. Path is 0 at first; only we know what others mean.
 */
#define MAP_NEXT_BATCH 32
#define MAP_LIST_BATCH 128 /* of what is wanted whole */

/* The first key stands `step` words before the second, and so the others and the values. All pairs in one piece. */
static Term nested_pairs(Area *area, const Term *keys, const Term *values, size_t step, size_t count, Term next) {
    if (count == 0)
        return next;
    Term *p = area_alloc(area, 4 * count), result = boxed_make(p);
    for (size_t i = 0; i < count; i++, p += 4) {
        p[0] = header_make(KIND_TUPLE, 3);
        p[1] = keys[step * i];
        p[2] = values[step * i];
        p[3] = i + 1 < count ? boxed_make(p + 4) : next;
    }
    return result;
}

static Term flat_map_listed(Area *area, Term map, Term acc) {
    size_t count = flat_map_size(map);
    Term *p = area_alloc(area, PAIR_CELL_WORDS * count);
    for (size_t i = count; i-- > 0;)
        acc = pair_cell_put(p + PAIR_CELL_WORDS * i, flat_map_keys(map)[i], flat_map_ptr(map)->values[i], acc);
    return acc;
}

static Term flat_map_all(Area *area, Term map, Term form) {
    if (form != am_iterator)
        return flat_map_listed(area, map, form);
    return nested_pairs(area, flat_map_keys(map), flat_map_ptr(map)->values, 1, flat_map_size(map), am_none);
}

/* `a` are the arguments of map_next/3. */
static Term batch_result(Area *area, const Term *pairs, size_t count, const Term *a, uint64_t position) {
    bool ended = position == MAP_POSITION_END;
    Term path = ended ? NON_VALUE : integer_from_uint64(area, position);
    if (a[2] == am_iterator)
        return nested_pairs(area, pairs, pairs + 1, 2, count, ended ? am_none : area_cons(area, path, a[1]));
    Term result = a[2]; /* each in front of those before it: the list has the order of maps:keys/1 in the end */
    Term *p = area_alloc(area, PAIR_CELL_WORDS * count);
    for (size_t i = 0; i < count; i++, p += PAIR_CELL_WORDS)
        result = pair_cell_put(p, pairs[2 * i], pairs[2 * i + 1], result);
    return ended ? result : area_cons(area, path, area_cons(area, a[1], result));
}

#define UNITS_PER_KEY 50 /* of long work */

/* From OTP 26 on the path may be a list of keys, all of them in the map: the pairs come in that order, and all at
 * once. */
static Term keys_result(Process *p, Term keys, Term map, Term form) {
    LONG_WORK_OPEN;
    Area *area = process_area(p);
    unsigned left = LONG_WORK_ROUND;
    Term result = form == am_iterator ? NIL : form, *last = &result;
    for (; is_list(keys); keys = list_tail(keys)) {
        Term key = list_head(keys);
        left = long_work_step(left, UNITS_PER_KEY);
        const Term *value = map_get(map, key);
        if (value == NULL)
            return fail_badarg(p);
        if (form == am_iterator) {
            *last = area_tuple3(area, key, *value, am_none);
            last = &tuple_elements(*last)[2];
        } else {
            *last = pair_cell_put(area_alloc(area, PAIR_CELL_WORDS), key, *value, form);
            last = list_ptr(*last) + 1;
        }
    }
    long_work_rest(left, UNITS_PER_KEY);
    if (!is_nil(keys))
        return fail_badarg(p);
    return form == am_iterator && is_nil(result) ? am_none : result;
}

Term erts_internal_map_next_3(Process *p, const Term *a) {
    Area *area = process_area(p);
    bool as_list = is_list(a[2]) || is_nil(a[2]);
    uint64_t position;
    if (is_map(a[1]) && (is_list(a[0]) || is_nil(a[0])) && (as_list || a[2] == am_iterator))
        return keys_result(p, a[0], a[1], a[2]);
    if (!is_map(a[1]) || !integer_to_uint64(a[0], &position) || !(as_list || a[2] == am_iterator))
        return fail_badarg(p);
    if (is_flat_map(a[1]))
        return position <= map_size(a[1]) ? flat_map_all(area, a[1], a[2]) : fail_badarg(p);
    if (position > MAP_POSITION_MAX)
        return fail_badarg(p);
    Term pairs[2 * MAP_LIST_BATCH];
    size_t count = map_next(a[1], &position, pairs, as_list ? MAP_LIST_BATCH : MAP_NEXT_BATCH);
    return batch_result(area, pairs, count, a, position);
}
