/* Making maps: flat ones, and the choice between them and the trie (map_trie.h). */
#include "term/map.h"

#include "base/copy_bytes.h"
#include "term/compare.h"
#include "term/map_find.h"
#include "term/map_place.h"
#include "term/map_trie.h"

#include <string.h>

/* What a flat map becomes while keys are added: keys sorted, all different. */
typedef struct {
    Term keys[MAP_FLAT_MAX + 1], values[MAP_FLAT_MAX + 1];
    size_t count;
} FlatPairs;

Term flat_map_make(Area *area, Term keys, const Term *values, size_t count) {
    FlatMap *map = (FlatMap *)area_alloc(area, 2 + count);
    map->header = header_make(KIND_FLAT_MAP, 1 + count);
    map->keys = keys;
    copy_few_words(map->values, values, count);
    return boxed_make(map);
}

static Term keys_make(Area *area, const Term *keys, size_t count) {
    Term *tuple = area_alloc(area, 1 + count);
    tuple[0] = header_make(KIND_TUPLE, count);
    copy_few_words(tuple + 1, keys, count);
    return boxed_make(tuple);
}

Term map_empty(Area *area) { return flat_map_make(area, keys_make(area, NULL, 0), NULL, 0); }

static void pairs_from_map(FlatPairs *p, Term map) {
    p->count = flat_map_size(map);
    copy_few_words(p->keys, flat_map_keys(map), p->count);
    copy_few_words(p->values, flat_map_ptr(map)->values, p->count);
}

static void insert_at(FlatPairs *p, size_t index, Term key, Term value) {
    memmove(p->keys + index + 1, p->keys + index, (p->count - index) * sizeof(Term));
    memmove(p->values + index + 1, p->values + index, (p->count - index) * sizeof(Term));
    p->keys[index] = key;
    p->values[index] = value;
    p->count++;
}

/* Of two zeros of different sign, which are the same key, the one in the map stays, or not: as stock, which one shows.
 * There is room for one more than a flat map may have. */
typedef enum { KEEP_KEY, NEW_KEY } SameKey;
static void pairs_put(FlatPairs *p, Term key, Term value, SameKey same) {
    bool found;
    size_t i = p->count;
    if (i == 0 || term_compare_keys(p->keys[i - 1], key) < 0) { /* pairs often come in order */
        p->keys[i] = key;
        p->values[i] = value;
        p->count++;
        return;
    }
    i = map_place(p->keys, p->count, key, &found);
    if (!found) {
        insert_at(p, i, key, value);
        return;
    }
    p->values[i] = value;
    if (same == NEW_KEY)
        p->keys[i] = key;
}

/* One key too many for a flat map. */
static Term pairs_to_trie(Area *area, const FlatPairs *p) {
    Term pairs[2 * (MAP_FLAT_MAX + 1)];
    for (size_t i = 0; i < p->count; i++) {
        pairs[2 * i] = p->keys[i];
        pairs[2 * i + 1] = p->values[i];
    }
    size_t size;
    Term root = trie_build(area, pairs, p->count, &size);
    return hash_map_make(area, root, size);
}

static Term pairs_to_map(Area *area, const FlatPairs *p) {
    if (p->count > MAP_FLAT_MAX)
        return pairs_to_trie(area, p);
    return flat_map_make(area, keys_make(area, p->keys, p->count), p->values, p->count);
}

/* A trie that has become small enough. */
static Term trie_to_flat(Area *area, Term root, size_t size) {
    FlatPairs p;
    p.count = 0;
    MapIterator it;
    HashMap map = {header_make(KIND_HASH_MAP, 2), small_make((SWord)size), root};
    Term key, value;
    if (is_list(root)) {
        pairs_put(&p, list_head(root), list_tail(root), KEEP_KEY);
        return pairs_to_map(area, &p);
    }
    map_iterator_init(&it, boxed_make(&map));
    while (map_iterator_next(&it, &key, &value))
        pairs_put(&p, key, value, KEEP_KEY);
    return pairs_to_map(area, &p);
}

static Term trie_to_map(Area *area, Term root, size_t size) {
    if (size == 0)
        return map_empty(area);
    return size > MAP_FLAT_MAX ? hash_map_make(area, root, size) : trie_to_flat(area, root, size);
}

/* The flat map with one value changed; keys are shared. */
static Term flat_with_value(Area *area, Term map, size_t index, Term value) {
    if (flat_map_ptr(map)->values[index] == value)
        return map;
    FlatMap *copy = flat_map_copy(area_alloc(area, flat_map_copy_words(map)), map);
    copy->values[index] = value;
    return boxed_make(copy);
}

/* The tuple of keys and the map are made in one loop: one for each part of each would have four ends that cannot be
 * foretold. */
static Term flat_with_pair(Term *to, Term map, size_t index, Term key, Term value) {
    const Term *keys = flat_map_keys(map), *values = flat_map_ptr(map)->values;
    size_t count = flat_map_size(map);
    Term *made_keys;
    FlatMap *made = flat_map_at(to, count + 1, &made_keys);
    for (size_t i = 0; i < count; i++) {
        size_t place = i + (i >= index);
        made_keys[place] = keys[i];
        made->values[place] = values[i];
    }
    made_keys[index] = key;
    made->values[index] = value;
    return boxed_make(made);
}

/* Of two zeros of different sign the one that is there stays. */
Term flat_map_put(Term **to, Term map, Term key, Term value) {
    bool found;
    size_t place = map_place(flat_map_keys(map), flat_map_size(map), key, &found);
    Term *at = *to;
    if (!found) {
        *to += flat_map_words(flat_map_size(map) + 1);
        return flat_with_pair(at, map, place, key, value);
    }
    if (flat_map_ptr(map)->values[place] == value)
        return map;
    *to += flat_map_copy_words(map);
    FlatMap *copy = flat_map_copy(at, map);
    copy->values[place] = value;
    return boxed_make(copy);
}

static Term flat_put(Area *area, Term map, Term key, Term value) {
    bool found;
    size_t count = flat_map_size(map), place = map_place(flat_map_keys(map), count, key, &found);
    if (found)
        return flat_with_value(area, map, place, value);
    if (count < MAP_FLAT_MAX)
        return flat_with_pair(area_alloc(area, flat_map_words(count + 1)), map, place, key, value);
    FlatPairs p;
    pairs_from_map(&p, map);
    insert_at(&p, place, key, value);
    return pairs_to_map(area, &p);
}

Term map_put(Area *area, Term map, Term key, Term value) {
    if (is_flat_map(map))
        return flat_put(area, map, key, value);
    bool added;
    Term old = hash_map_ptr(map)->root, root = trie_put(area, old, key, value, &added);
    return root == old ? map : hash_map_make(area, root, map_size(map) + added);
}

Term map_update(Area *area, Term map, Term key, Term value) {
    if (!is_flat_map(map))
        return map_get(map, key) == NULL ? NON_VALUE : map_put(area, map, key, value);
    size_t count = flat_map_size(map), i = flat_map_find(flat_map_keys(map), count, key);
    return i == count ? NON_VALUE : flat_with_value(area, map, i, value);
}

static Term flat_remove(Area *area, Term map, Term key, Term *taken) {
    const Term *keys = flat_map_keys(map), *values = flat_map_ptr(map)->values;
    size_t count = flat_map_size(map), index = flat_map_find(keys, count, key);
    if (index == count)
        return map;
    *taken = values[index];
    Term *made_keys;
    FlatMap *made = flat_map_alloc(area, count - 1, &made_keys);
    for (size_t i = 0; i < count - 1; i++) {
        size_t from = i + (i >= index);
        made_keys[i] = keys[from];
        made->values[i] = values[from];
    }
    return boxed_make(made);
}

Term map_remove(Area *area, Term map, Term key, Term *taken) {
    Term ignored;
    if (taken == NULL)
        taken = &ignored;
    *taken = NON_VALUE;
    if (is_flat_map(map))
        return flat_remove(area, map, key, taken);
    Term old = hash_map_ptr(map)->root, root = trie_remove(area, old, key, taken);
    return root == old ? map : trie_to_map(area, root, map_size(map) - 1);
}

static bool are_rising(const Term *pairs, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (term_compare_keys(pairs[2 * i - 2], pairs[2 * i]) >= 0)
            return false;
    return true;
}

/* Each pair goes where it stays. */
static Term flat_from_rising(Area *area, const Term *pairs, size_t count) {
    Term *keys;
    FlatMap *map = flat_map_alloc(area, count, &keys);
    for (size_t i = 0; i < count; i++) {
        keys[i] = pairs[2 * i];
        map->values[i] = pairs[2 * i + 1];
    }
    return boxed_make(map);
}

Term map_from_pairs(Area *area, const Term *pairs, size_t count) {
    if (count <= MAP_FLAT_MAX && are_rising(pairs, count))
        return flat_from_rising(area, pairs, count);
    if (count <= MAP_FLAT_MAX) {
        FlatPairs p;
        p.count = 0;
        for (size_t i = 0; i < count; i++)
            pairs_put(&p, pairs[2 * i], pairs[2 * i + 1], NEW_KEY);
        return pairs_to_map(area, &p);
    }
    size_t size;
    Term root = trie_build(area, pairs, count, &size);
    return trie_to_map(area, root, size);
}

/* New values for keys that are all there; NON_VALUE, and *missing, when one is not. */
static Term flat_update_many(Area *area, Term map, const Term *pairs, size_t count, Term *missing) {
    size_t size = flat_map_size(map);
    const Term *keys = flat_map_keys(map);
    Term copy = flat_map_make(area, flat_map_ptr(map)->keys, flat_map_ptr(map)->values, size);
    for (size_t i = 0; i < count; i++) {
        size_t place = flat_map_find(keys, size, pairs[2 * i]);
        if (place == size) {
            area_give_back(area, boxed_ptr(copy), boxed_ptr(copy) + 2 + size);
            *missing = pairs[2 * i];
            return NON_VALUE;
        }
        flat_map_ptr(copy)->values[place] = pairs[2 * i + 1];
    }
    return copy;
}

/* Pairs by rising keys, all different, into a map that has room for them; NON_VALUE when they are not so: of two that
 * nothing of the map stands between, the places do not tell. */
static Term flat_put_sorted(Area *area, Term map, const Term *pairs, size_t count) {
    const Term *keys = flat_map_keys(map), *values = flat_map_ptr(map)->values;
    size_t size = flat_map_size(map), most = size + count, from = 0, to = 0;
    FlatMap *made = (FlatMap *)area_alloc(area, 2 + most);
    Term *tuple = area_alloc(area, 1 + most), *to_keys = tuple + 1;
    for (size_t i = 0; i < count; i++, to++) {
        bool found;
        size_t place = from + map_place(keys + from, size - from, pairs[2 * i], &found);
        if (place == from && !found && i > 0 && term_compare_keys(pairs[2 * i - 2], pairs[2 * i]) >= 0) {
            area_give_back(area, tuple, tuple + 1 + most);
            area_give_back(area, (Term *)made, (Term *)made + 2 + most);
            return NON_VALUE;
        }
        copy_few_words(to_keys + to, keys + from, place - from);
        copy_few_words(made->values + to, values + from, place - from);
        to += place - from;
        to_keys[to] = found ? keys[place] : pairs[2 * i];
        made->values[to] = pairs[2 * i + 1];
        from = place + found;
    }
    copy_few_words(to_keys + to, keys + from, size - from);
    copy_few_words(made->values + to, values + from, size - from);
    to += size - from;
    bool is_same = to == size;
    tuple[0] = header_make(KIND_TUPLE, to);
    made->header = header_make(KIND_FLAT_MAP, 1 + to);
    made->keys = is_same ? flat_map_ptr(map)->keys : boxed_make(tuple);
    area_give_back(area, is_same ? tuple : to_keys + to, to_keys + most);
    area_give_back(area, made->values + to, made->values + most);
    return boxed_make(made);
}

/* Sets *done to how many pairs the map has taken: all, unless it has become a trie. */
static Term flat_put_many(Area *area, Term map, const Term *pairs, size_t count, size_t *done) {
    FlatPairs p;
    Term missing, result = NON_VALUE;
    *done = count;
    size_t size = flat_map_size(map); /* mostly either all keys are there or none: that is known before the copy */
    if (size + count <= MAP_FLAT_MAX)
        result = flat_put_sorted(area, map, pairs, count);
    if (is_value(result))
        return result;
    if (count > 0 && flat_map_find(flat_map_keys(map), size, pairs[0]) < size)
        result = flat_update_many(area, map, pairs, count, &missing);
    if (is_value(result))
        return result;
    pairs_from_map(&p, map);
    for (*done = 0; *done < count && p.count <= MAP_FLAT_MAX; ++*done)
        pairs_put(&p, pairs[2 * *done], pairs[2 * *done + 1], KEEP_KEY);
    return pairs_to_map(area, &p);
}

Term map_put_many(Area *area, Term map, const Term *pairs, size_t count) {
    size_t i = 0;
    if (is_flat_map(map))
        map = flat_put_many(area, map, pairs, count, &i);
    for (; i < count; i++)
        map = map_put(area, map, pairs[2 * i], pairs[2 * i + 1]);
    return map;
}

Term map_update_many(Area *area, Term map, const Term *pairs, size_t count, Term *missing) {
    if (is_flat_map(map))
        return flat_update_many(area, map, pairs, count, missing);
    for (size_t i = 0; i < count; i++) {
        if (map_get(map, pairs[2 * i]) == NULL) {
            *missing = pairs[2 * i];
            return NON_VALUE;
        }
    }
    return map_put_many(area, map, pairs, count);
}
