/*
 * The hash trie under large maps. Recursion is bounded by MAP_LEVELS. A "child" is a cell or a node; a lone cell takes
 * the place of the node that would hold only it, at every level but the root's. For who makes or walks maps.
 */
#ifndef VIV_TERM_MAP_TRIE_H
#define VIV_TERM_MAP_TRIE_H

#include "term/map.h"

#define NO_CHILD ((Term)0)

static inline uint32_t node_bitmap(const Term *node) { return (uint32_t)(node[0] >> NODE_BITMAP_SHIFT); }
static inline size_t node_count(const Term *node) { return header_arity(node[0]); }
static inline bool node_is_collision(const Term *node) { return node_bitmap(node) == MAP_COLLISION; }
static inline const Term *node_children(const Term *node) { return node + 1; }
static inline Term *node_children_made(Term *node) { return node + 1; }
static inline const Term *node_of_children(const Term *children) { return children - 1; }

/* Index of the cell with this key in a collision node; its count when there is none. */
size_t trie_find_collision(const Term *node, Term key);
const Term *trie_get(Term root, Term key, uint32_t hash);
/* `root` itself when nothing changes. *added: was the key new? */
Term trie_put(Area *area, Term root, Term key, Term value, bool *added);
/* The same for a part of a trie, and for a pair that there may be a cell of already. `child` itself when nothing
 * changes. */
typedef struct {
    Area *area;
    Term key, value;
    Term cell;    /* or NO_CHILD */
    bool keep;    /* a pair that has the key already stays */
    bool new_key; /* of two zeros the new one shows, even where the value is the same */
    bool added;   /* set if the key was new */
} TriePut;
Term trie_put_below(TriePut *p, Term child, unsigned level);
/* `root` itself when the key is not there (*taken stays). NO_CHILD when it was the last. */
Term trie_remove(Area *area, Term root, Term key, Term *taken);
/* From pairs in any order, the last of equal keys wins. *size: different keys. NO_CHILD for none; may be a cell for
 * one. */
Term trie_build(Area *area, const Term *pairs, size_t count, size_t *size);
/* A node whose children are still to be written (node_children_made). */
Term *trie_node_make(Area *area, uint32_t bitmap, size_t count);
Term hash_map_make(Area *area, Term root, size_t size);

#endif
