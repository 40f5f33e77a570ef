/*
 * Maps that code makes of nothing (`put_map_assoc` to the empty map), by keys that are literals. Such keys become a
 * tuple among the module's literals, in the order in which maps have them, so all maps that are made there share it:
 * each has the room of its values alone.
 */
#ifndef VIV_LOADER_MAP_KEYS_H
#define VIV_LOADER_MAP_KEYS_H

#include "loader/decode.h"
#include "term/boxed.h"

/* So many groups of `step` operands, each with a key before what belongs to it -> the groups in the order of keys, in
 * room for MAP_FLAT_MAX of them. False: not all keys are literals, two are the same, or they are too many for a flat
 * map. */
bool map_keys_sort(const Operand *list, size_t count, size_t step, Operand *sorted);

/* How many tuples there may be, at most. */
size_t map_keys_most(const DecodedCode *decoded);
/* Of code whose operands have their terms (they may be copied elsewhere afterwards): makes the tuples, `most` or fewer,
 * in `area`, and adds them to the `count` terms. The operand that was the empty map is OPERAND_MAP_KEYS then, and gets
 * its tuple with all other terms, by decoded_set_terms once more. How many terms there are. */
size_t map_keys_add(DecodedCode *decoded, Workspace *workspace, Area *area, size_t most, Term *terms, size_t count);

#endif
