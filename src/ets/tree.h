/*
 * ordered_set: an AVL tree in the order of keys, where 1 and 1.0 are the same key.
 *
 * `balance` of an object is the height of its greater side minus that of its smaller side: -1, 0 or 1. No parent
 * links: a change keeps the path it came down by. All under the table's lock.
 */
#ifndef VIV_ETS_TREE_H
#define VIV_ETS_TREE_H

#include "ets/table.h"

Object *tree_find(const Table *t, Term key);
/* Replaces the object of the same key if there is one. */
void tree_put(Table *t, Object *o);
/* Takes the key's object out; NULL when there is none. The caller frees it. */
Object *tree_take(Table *t, Term key);
/* `new` has the key of `old`, which is freed. */
void tree_replace(Table *t, Object *old, Object *new);
/* The nearest object above (or below) the key, which need not be there; NON_VALUE: the first (last) of all. */
Object *tree_beside(const Table *t, Term key, bool above);
/* The n-th in order, from 0. Takes time n. */
Object *tree_nth(const Table *t, uint64_t n);

/* A walk in either order, good while the tree does not change. */
#define TREE_DEPTH_MAX 64
typedef struct {
    Object *path[TREE_DEPTH_MAX];
    unsigned depth;
    bool up; /* from small to great */
} TreeWalk;
/* Starts beyond `key` (NON_VALUE: at the first). */
void tree_walk_init(TreeWalk *w, const Table *t, Term key, bool up);
Object *tree_walk_next(TreeWalk *w);
/* Any object without children, taken out: for freeing a whole tree. */
Object *tree_take_any(Table *t);

#endif
