/*
 * Values of one small map that are fetched one after the other, by keys that words compare (map_key_is_plain), have one
 * piece of machine code, that of the first: it asks once what kind of map it is. Anything else than a small map the
 * interpreter looks into. The words of the other instructions lead to the interpreter; no label leads to them.
 */
#ifndef VIV_JIT_MAP_GETS_H
#define VIV_JIT_MAP_GETS_H

#include "jit/written.h"

CodeWriter map_gets_write;

#endif
