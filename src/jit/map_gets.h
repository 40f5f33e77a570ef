/*
 * Values of one small map that are fetched one after the other, by keys that words compare (map_key_is_plain), have one
 * piece of machine code, that of the first: it asks once what kind of map it is. Anything else than a small map the
 * interpreter looks into. The words of the other instructions lead to the interpreter; no label leads to them.
 *
 * A key is sought from the last one of the map to the first; one that comes before the key that was found last is
 * sought from there on. So the loader has those that one instruction of the file asks for in falling order.
 */
#ifndef VIV_JIT_MAP_GETS_H
#define VIV_JIT_MAP_GETS_H

#include "jit/written.h"
#include "term/compare.h"

CodeWriter map_gets_write;

/* %rax: the small map at the place; %r8: its keys; %r9d: how many they are, and 1. Else to the interpreter. */
void map_search_load(Writer *w, Word place);
/* %ecx: which of them the key is, from 1 on. From the last one to the first; or, if `goes_on`, from before the one that
 * was found, which %ecx still is. Between the two stands a jump that is taken where it is none. */
size_t map_search_begin(Writer *w, Word key, bool goes_on);
void map_search_end(Writer *w, Word key, size_t begin);
/* May it, for `key`, where `found` was found? */
static inline bool map_search_goes_on(Word found, Word key) { return term_compare_keys(found, key) > 0; }

#endif
