/*
 * Small maps that are made, or get new values, by keys that words compare (map_key_is_plain). One that is made has its
 * keys, in their order, from when the code was loaded. Where a key is not there yet, or the map is not small, the
 * interpreter does it: nothing has been stored then but above the heap.
 */
#ifndef VIV_JIT_MAP_PUTS_H
#define VIV_JIT_MAP_PUTS_H

#include "jit/written.h"

CodeWriter map_puts_write;

#endif
