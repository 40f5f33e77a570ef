/*
 * Where a key is, or belongs, among the keys of a flat map. They stand in the order of keys (term_compare_keys), so the
 * first one tells much of all others.
 */
#ifndef VIV_TERM_MAP_PLACE_H
#define VIV_TERM_MAP_PLACE_H

#include "term/map.h"

/* The index of the key, *found, or of the first that stands behind it: `count` when none does. */
size_t map_place(const Term *keys, size_t count, Term key, bool *found);

#endif
