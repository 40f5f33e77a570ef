/*
 * The hash trie under large maps. Recursion is bounded by MAP_LEVELS. A "child" is a cell or a node; a lone cell takes
 * the place of the node that would hold only it, at every level but the root's. For map.c and map_iterate.c.
 */
#ifndef VIV_TERM_MAP_TRIE_H
#define VIV_TERM_MAP_TRIE_H

#include "term/map.h"

#define NO_CHILD ((Term)0)

static inline uint32_t node_bitmap(const Term *node) { return (uint32_t)small_value(node[1]); }
static inline size_t node_count(const Term *node) { return header_arity(node[0]) - 1; }

const Term *trie_get(Term root, Term key, uint32_t hash);
/* `root` itself when nothing changes. *added: was the key new? */
Term trie_put(Area *area, Term root, Term key, Term value, bool *added);
/* `root` itself when the key is not there (*taken stays). NO_CHILD when it was the last. */
Term trie_remove(Area *area, Term root, Term key, Term *taken);
/* From pairs in any order, the last of equal keys wins. *size: different keys. NO_CHILD for none; may be a cell for
 * one. */
Term trie_build(Area *area, const Term *pairs, size_t count, size_t *size);
Term hash_map_make(Area *area, Term root, size_t size);

#endif
