/*
 * Values of one small map that are fetched one after the other, by keys that words compare (map_key_is_plain), have one
 * piece of machine code, that of the first: it asks once what kind of map it is. Anything else than a small map the
 * interpreter looks into. The words of the other instructions lead to the interpreter; no label leads to them.
 */
#ifndef VIV_JIT_MAP_GETS_H
#define VIV_JIT_MAP_GETS_H

#include "jit/written.h"

/* How many instructions there are in the piece that begins there; 0: it is none. */
size_t map_gets_count(const Written *c);
/* As choice_length and choice_put. */
size_t map_gets_length(const Written *c);
void map_gets_put(const Written *c, const uint8_t *from, uint8_t *to);

#endif
