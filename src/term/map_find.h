/*
 * Looking a key up in a flat map. Apart from making maps (map.c), because comparing maps needs it, and they are made by
 * comparing keys.
 */
#ifndef VIV_TERM_MAP_FIND_H
#define VIV_TERM_MAP_FIND_H

#include "term/map.h"

/* flat_map_find of a key that is not plain, and that none of them is word for word. */
size_t flat_map_find_equal(const Term *keys, size_t count, Term key);
/* The index of the key, or `count`. Mostly it is not only equal to the one that is there, but the same. */
static inline size_t flat_map_find(const Term *keys, size_t count, Term key) {
    size_t i = 0;
    while (i < count && keys[i] != key)
        i++;
    return i < count || map_key_is_plain(key) ? i : flat_map_find_equal(keys, count, key);
}

#endif
