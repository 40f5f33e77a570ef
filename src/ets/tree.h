/*
 * AVL trees of objects in the order of keys, where 1 and 1.0 are the same key: what a leaf of an ordered_set holds
 * (ets/catree.h).
 *
 * `balance` of an object is the height of its greater side minus that of its smaller side: -1, 0 or 1. No parent
 * links: a change keeps the path it came down by. A tree is named by the place of its root; whoever calls holds the
 * leaf that it lies in. `t` says where the key is, and counts what comes and goes.
 */
#ifndef VIV_ETS_TREE_H
#define VIV_ETS_TREE_H

#include "ets/table.h"
#include "match/match_spec.h"

Object *tree_find(const Table *t, Object *root, Term key);
/* Replaces the object of the same key if there is one. */
void tree_put(Table *t, Object **root, Object *o);
/* A copy of the tuple, which is plain (ets/object.h): in place of what was there, where that can be. */
void tree_put_plain(Table *t, Object **root, Term tuple);
/* Takes the key's object out; NULL when there is none. The caller frees it. */
Object *tree_take(Table *t, Object **root, Term key);
/* `new` has the key of `old`, which is freed. */
void tree_replace(Table *t, Object **root, Object *old, Object *new);
/* The nearest object above (or below) the key, which need not be there; NON_VALUE: the first (last) of all. */
Object *tree_beside(const Table *t, Object *root, Term key, bool above);

/* A walk in either order, good while the tree does not change. */
#define TREE_DEPTH_MAX 64
typedef struct {
    Object *path[TREE_DEPTH_MAX];
    unsigned depth;
    bool up; /* from small to great */
} TreeWalk;
/* Starts beyond `key` (NON_VALUE: at the first). */
void tree_walk_init(TreeWalk *w, const Table *t, Object *root, Term key, bool up);
/* Starts at the first that the bound may stand for, or beyond all of those. */
void tree_walk_from(TreeWalk *w, const Table *t, Object *root, const KeyBound *bound, bool up);
Object *tree_walk_next(TreeWalk *w);
/* Any object without children, taken out and not counted: for freeing a whole tree. */
Object *tree_take_any(Object **root);

/* Takes the smaller half of a tree out, and gives its root; NULL when the tree cannot be parted. The rest begins with
 * the key of what was the root. Takes time by the height, as does tree_join. Nothing is counted. */
Object *tree_split(Table *t, Object **root, Term *key);
/* One tree of two; all keys of `lower` are smaller than those of `upper`. */
Object *tree_join(Table *t, Object *lower, Object *upper);

#endif
