/*
 * Maps and their iterators. An iterator stands before the first pair (idx 0), on one (1 to size), or behind the last.
 * Those of large maps walk an array of all pairs, made when the iterator is: __spare__[0].
 */
#include "nif/env.h"

#include "alloc/alloc.h"
#include "nif/zero.h"
#include "term/map.h"

int enif_get_map_size(ErlNifEnv *env, ERL_NIF_TERM map, size_t *size) {
    if (!is_map(map))
        return 0;
    *size = map_size(map);
    return 1;
}

ERL_NIF_TERM enif_make_new_map(ErlNifEnv *env) { return map_empty(env->area); }

int enif_make_map_put(ErlNifEnv *env, ERL_NIF_TERM map, ERL_NIF_TERM key, ERL_NIF_TERM value, ERL_NIF_TERM *result) {
    if (!is_map(map))
        return 0;
    *result = map_put(env->area, map, nif_take(key), nif_take(value));
    return 1;
}

int enif_make_map_update(ErlNifEnv *env, ERL_NIF_TERM map, ERL_NIF_TERM key, ERL_NIF_TERM value, ERL_NIF_TERM *result) {
    Term updated = is_map(map) ? map_update(env->area, map, nif_take(key), nif_take(value)) : NON_VALUE;
    if (!is_value(updated))
        return 0;
    *result = updated;
    return 1;
}

int enif_make_map_remove(ErlNifEnv *env, ERL_NIF_TERM map, ERL_NIF_TERM key, ERL_NIF_TERM *result) {
    if (!is_map(map))
        return 0;
    *result = map_remove(env->area, map, nif_take(key), NULL);
    return 1;
}

int enif_make_map_from_arrays(ErlNifEnv *env, ERL_NIF_TERM keys[], ERL_NIF_TERM values[], size_t count,
                              ERL_NIF_TERM *result) {
    Term *pairs = mem_alloc(ALLOC_TEMP, (count + 1) * 2 * sizeof(Term));
    for (size_t i = 0; i < count; i++) {
        pairs[2 * i] = nif_take(keys[i]);
        pairs[2 * i + 1] = nif_take(values[i]);
    }
    Term map = map_from_pairs(env->area, pairs, count);
    mem_free(ALLOC_TEMP, pairs);
    if (map_size(map) != count && count <= MAP_FLAT_MAX) /* a key is there twice; with more, stock does not look */
        return 0;
    *result = map;
    return 1;
}

int enif_get_map_value(ErlNifEnv *env, ERL_NIF_TERM map, ERL_NIF_TERM key, ERL_NIF_TERM *value) {
    const Term *place = is_map(map) ? map_get(map, nif_take(key)) : NULL;
    if (place == NULL)
        return 0;
    *value = nif_give(*place);
    return 1;
}

/* Keys, then values; as stock, in the reverse of the order of maps:keys/1. */
static Term *all_pairs(Term map, size_t size) {
    Term *pairs = mem_alloc(ALLOC_NIF, 2 * size * sizeof(Term));
    MapIterator it;
    map_iterator_init(&it, map);
    for (size_t i = size; i > 0 && map_iterator_next(&it, &pairs[i - 1], &pairs[size + i - 1]);)
        i--;
    return pairs;
}

int enif_map_iterator_create(ErlNifEnv *env, ERL_NIF_TERM map, ErlNifMapIterator *it, ErlNifMapIteratorEntry entry) {
    if (!is_map(map) || (entry != ERL_NIF_MAP_ITERATOR_FIRST && entry != ERL_NIF_MAP_ITERATOR_LAST))
        return 0;
    size_t size = map_size(map);
    *it = (ErlNifMapIterator){.map = map, .size = size, .idx = entry == ERL_NIF_MAP_ITERATOR_FIRST ? 1 : size};
    if (is_flat_map(map)) {
        it->u.flat.ks = (Term *)flat_map_keys(map);
        it->u.flat.vs = flat_map_ptr(map)->values;
    } else {
        it->__spare__[0] = it->u.flat.ks = all_pairs(map, size);
        it->u.flat.vs = it->u.flat.ks + size;
    }
    return 1;
}

void enif_map_iterator_destroy(ErlNifEnv *env, ErlNifMapIterator *it) {
    mem_free(ALLOC_NIF, it->__spare__[0]);
    it->__spare__[0] = NULL;
}

/* Of an empty map every place is both. */
int enif_map_iterator_is_head(ErlNifEnv *env, ErlNifMapIterator *it) { return it->idx == 0 || it->size == 0; }
int enif_map_iterator_is_tail(ErlNifEnv *env, ErlNifMapIterator *it) { return it->idx > it->size || it->size == 0; }

int enif_map_iterator_next(ErlNifEnv *env, ErlNifMapIterator *it) {
    it->idx += it->idx <= it->size;
    return it->idx <= it->size;
}

int enif_map_iterator_prev(ErlNifEnv *env, ErlNifMapIterator *it) {
    it->idx -= it->idx > 0;
    return it->idx > 0;
}

int enif_map_iterator_get_pair(ErlNifEnv *env, ErlNifMapIterator *it, ERL_NIF_TERM *key, ERL_NIF_TERM *value) {
    if (it->idx == 0 || it->idx > it->size)
        return 0;
    *key = nif_give(it->u.flat.ks[it->idx - 1]);
    *value = nif_give(it->u.flat.vs[it->idx - 1]);
    return 1;
}
