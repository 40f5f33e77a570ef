/*
 * Looking a key up in a flat map. Apart from making maps (map.c), because comparing maps needs it, and they are made by
 * comparing keys.
 */
#ifndef VIV_TERM_MAP_FIND_H
#define VIV_TERM_MAP_FIND_H

#include "term/map.h"

/* The index of the key, or `count`; of one that is not plain. */
size_t flat_map_find_other(const Term *keys, size_t count, Term key);
static inline size_t flat_map_find(const Term *keys, size_t count, Term key) {
    size_t i = 0;
    if (unlikely(!map_key_is_plain(key)))
        return flat_map_find_other(keys, count, key);
    while (i < count && keys[i] != key)
        i++;
    return i;
}

#endif
