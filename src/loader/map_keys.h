/*
 * Maps that code makes of nothing (`put_map_assoc` to the empty map), by keys that are literals. Such keys become a
 * tuple among the module's literals, in the order in which maps have them, so all maps that are made there share it:
 * each has the room of its values alone.
 */
#ifndef VIV_LOADER_MAP_KEYS_H
#define VIV_LOADER_MAP_KEYS_H

#include "loader/decode.h"
#include "term/boxed.h"

/* Keys and values by turns -> the pairs in the order of keys, in room for 2 * MAP_FLAT_MAX operands; false: not all
 * keys are literals, two are the same, or they are too many for a flat map. */
bool map_keys_sort(const Operand *list, size_t count, Operand *pairs);

/* How many tuples there may be, at most. */
size_t map_keys_most(const DecodedCode *decoded);
/* Of code that has its terms, wherever they are for now: makes tuples in `area`, and adds them to the `count` terms.
 * The operand that was the empty map is OPERAND_MAP_KEYS then, and gets its tuple with all other terms, by
 * decoded_set_terms once more. How many terms there are. */
size_t map_keys_add(DecodedCode *decoded, Workspace *workspace, Area *area, Term *terms, size_t count);

#endif
