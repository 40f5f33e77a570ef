/* Maps: made, changed, read, walked from both ends. */
#include "nif_test.h"

NIF(size) {
    size_t size = 77;
    int ok = enif_get_map_size(env, argv[0], &size);
    return enif_make_tuple2(env, boolean(env, enif_is_map(env, argv[0])), answer(env, ok, enif_make_uint64(env, size)));
}

NIF(new_map) { return enif_make_new_map(env); }

NIF(value) {
    ERL_NIF_TERM found = argv[1];
    int ok = enif_get_map_value(env, argv[0], argv[1], &found);
    return answer(env, ok, found);
}

NIF(put) {
    ERL_NIF_TERM out = argv[0];
    int ok = enif_make_map_put(env, argv[0], argv[1], argv[2], &out);
    return answer(env, ok, out);
}

NIF(update) {
    ERL_NIF_TERM out = argv[0];
    int ok = enif_make_map_update(env, argv[0], argv[1], argv[2], &out);
    return answer(env, ok, out);
}

NIF(without) {
    ERL_NIF_TERM out = argv[0];
    int ok = enif_make_map_remove(env, argv[0], argv[1], &out);
    return answer(env, ok, out);
}

/* From two tuples. */
NIF(from_arrays) {
    const ERL_NIF_TERM *keys, *values;
    ERL_NIF_TERM out = argv[0];
    int count, others;
    if (!enif_get_tuple(env, argv[0], &count, &keys) || !enif_get_tuple(env, argv[1], &others, &values))
        return enif_make_badarg(env);
    int ok = enif_make_map_from_arrays(env, (ERL_NIF_TERM *)keys, (ERL_NIF_TERM *)values, (size_t)count, &out);
    return answer(env, ok, out);
}

/* Pairs in the order of the walk, from the given end. */
NIF(walk) {
    ErlNifMapIterator it;
    ERL_NIF_TERM list = enif_make_list(env, 0), key, value;
    int from_last = int_of(env, argv[1]);
    if (!enif_map_iterator_create(env, argv[0], &it,
                                  from_last ? ERL_NIF_MAP_ITERATOR_LAST : ERL_NIF_MAP_ITERATOR_FIRST))
        return atom(env, "no");
    while (enif_map_iterator_get_pair(env, &it, &key, &value)) {
        list = enif_make_list_cell(env, enif_make_tuple2(env, key, value), list);
        if (from_last)
            enif_map_iterator_prev(env, &it);
        else
            enif_map_iterator_next(env, &it);
    }
    ERL_NIF_TERM end = enif_make_list2(env, boolean(env, enif_map_iterator_is_head(env, &it)),
                                       boolean(env, enif_map_iterator_is_tail(env, &it)));
    enif_map_iterator_destroy(env, &it);
    return enif_make_tuple2(env, list, end);
}

/* Steps as a list of n and p says: what each answers, whether there is a pair, whether it is beyond an end. */
NIF(steps) {
    ErlNifMapIterator it;
    ERL_NIF_TERM list = enif_make_list(env, 0), head, tail = argv[2], key, value;
    if (!enif_map_iterator_create(env, argv[0], &it,
                                  int_of(env, argv[1]) ? ERL_NIF_MAP_ITERATOR_TAIL : ERL_NIF_MAP_ITERATOR_HEAD))
        return atom(env, "no");
    while (enif_get_list_cell(env, tail, &head, &tail)) {
        int moved = enif_is_identical(head, atom(env, "n")) ? enif_map_iterator_next(env, &it)
                                                            : enif_map_iterator_prev(env, &it);
        int is[] = {moved, enif_map_iterator_get_pair(env, &it, &key, &value), enif_map_iterator_is_head(env, &it),
                    enif_map_iterator_is_tail(env, &it)};
        list = enif_make_list_cell(env,
                                   enif_make_list4(env, enif_make_int(env, is[0]), enif_make_int(env, is[1]),
                                                   enif_make_int(env, is[2]), enif_make_int(env, is[3])),
                                   list);
    }
    enif_map_iterator_destroy(env, &it);
    enif_make_reverse_list(env, list, &list);
    return list;
}

/* 1 to N into a map and out again, in an environment of its own. */
NIF(grow) {
    ErlNifEnv *own = enif_alloc_env();
    ERL_NIF_TERM map = enif_make_new_map(own);
    int count = int_of(env, argv[0]);
    for (int i = 1; i <= count; i++)
        enif_make_map_put(own, map, enif_make_int(own, i), enif_make_int(own, i * i), &map);
    for (int i = 1; i <= count; i += 2)
        enif_make_map_remove(own, map, enif_make_int(own, i), &map);
    map = enif_make_copy(env, map);
    enif_free_env(own);
    return map;
}

static ErlNifFunc functions[] = {
    {"size", 1, size, 0}, {"new_map", 0, new_map, 0}, {"value", 2, value, 0},
    {"put", 3, put, 0},   {"update", 3, update, 0},   {"without", 2, without, 0},
    {"walk", 2, walk, 0}, {"steps", 3, steps, 0},     {"from_arrays", 2, from_arrays, 0},
    {"grow", 1, grow, 0},
};
ERL_NIF_INIT(nif_maps, functions, NULL, NULL, NULL, NULL)
