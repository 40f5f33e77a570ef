/*
 * ordered_set: trees of objects (leaves, ets/tree.h) under a search tree of routes that grows where writers meet.
 *
 * A route has a separator: keys below it lie under child[0], the others under child[1]. A leaf holds the objects of its
 * range of keys and a lock of its own. A leaf in which writers had to wait often is split in two under a new route; one
 * that nobody waited for in a long time is joined with its neighbour, and their route goes. A table without
 * write_concurrency has one leaf for ever, and that has no lock: the table's lock is all there is. (Source of the idea:
 * Sagonas and Winblad, "Contention Adapting Search Trees", ISPDC 2015.)
 *
 * Who may look and write, in a table with write_concurrency:
 *   - The table's lock is held by all, shared; who holds it exclusive may do everything without the locks below.
 *   - Routes are read without a lock (children with acquire), and a separator never changes. So the leaf that a walk
 *     from the top finds may be out of the tree when its lock is taken: `is_valid`, under that lock, tells, and then
 *     one begins again at the top. Nodes that went out are freed when thread progress allows.
 *   - A leaf's objects, `is_valid` and `contention` are under its lock. A thread holds one leaf's lock, and tries for a
 *     second one only, without waiting, to join.
 *   - Links between routes, the top, and is_valid of any leaf change only under the lock ETS_ROUTES, which is taken
 *     (tried for) with the leaf's lock held: so who holds both sees a tree that stands still, and a leaf found from the
 *     top in it is valid.
 */
#ifndef VIV_ETS_CATREE_H
#define VIV_ETS_CATREE_H

#include "ets/table.h"
#include "match/match_spec.h"

void catree_init(Table *t);
/* When all objects are out. */
void catree_release(Table *t);

/* Where a leaf is looked for. */
typedef enum { AT_KEY, BELOW_KEY, AT_START, AT_END, AT_LOW_BOUND, AT_HIGH_BOUND } Where;
typedef struct {
    Where where;
    Term key; /* BELOW_KEY: the leaf of the keys just smaller */
    const KeyBound *bound;
} Place;
static inline Place place_at(Term key) { return (Place){AT_KEY, key, NULL}; }
/* From where a walk upwards or downwards beyond `key` starts; NON_VALUE: at the edge. */
static inline Place place_beyond(Term key, bool up) {
    if (!is_value(key))
        return (Place){up ? AT_START : AT_END, NON_VALUE, NULL};
    return (Place){up ? AT_KEY : BELOW_KEY, key, NULL};
}
/* From where a walk over what the bound stands for starts. */
static inline Place place_at_bound(const KeyBound *bound, bool up) {
    return (Place){up ? AT_LOW_BOUND : AT_HIGH_BOUND, NON_VALUE, bound};
}
#define UNITS_PER_LEAF 50 /* of long work, for who walks over them: any number of them can be empty */
/* The leaf without its lock: for tables with one leaf, and who holds the table exclusively. */
TreeNode *catree_leaf(const Table *t, Term key);
Object **leaf_root(TreeNode *leaf);
/* Of a table without write_concurrency. */
Object **catree_only_root(const Table *t);
/* The leaf, locked if leaves of this table are. *low, *high: the separators at its ends, NON_VALUE at the edges, good
 * until the caller's next quiescent point. */
TreeNode *catree_enter(Table *t, Place place, bool write, Term *low, Term *high);
void catree_leave(Table *t, TreeNode *leaf, bool write);
/* Leaves a leaf entered at `key` for writing; it may be split or joined before. */
void catree_leave_written(Table *t, TreeNode *leaf, Term key);

/* The key beside `key` (NON_VALUE: at the edge), copied to `area`; NON_VALUE when there is none. No leaf is held. */
Term catree_key_beside(Table *t, Term key, bool up, Area *area);
/* The *n-th object in order, from 0, after *key (NON_VALUE: of all), copied. At the end of a round *n is lowered by the
 * objects passed, and *key is the last of them. */
NextStep catree_nth(Table *t, Term *key, uint64_t *n, Area *area, Term *object);
/* The n-th object, copied, of a table without write_concurrency where nothing has changed since one near it was
 * remembered; NON_VALUE: it is not near. */
Term catree_near_nth(Table *t, uint64_t n, Area *area);
/* `object`'s key is that of the n-th object; it was found since the table had changed `changes` times. */
void catree_remember(Table *t, uint64_t n, Term object, uint64_t changes);
/* Routes, leaves, and the most routes above a leaf: as they were when it came along. */
void catree_figures(Table *t, size_t *routes, size_t *leaves, size_t *depth);
size_t catree_memory_words(const Table *t);
/* `t` and `to` change what they hold; both held exclusively or known to nobody else. */
void catree_swap(Table *t, Table *to);
/* Takes out objects until none is left (true) or the budget is used up. */
bool catree_clear_some(Table *t, int64_t *budget);

/* For tests, which may not wait until writers meet: whoever writes splits a leaf as long as it has two objects, or
 * splits or joins it now and then, by chance. */
void catree_set_habit(Table *t, TreeHabit habit);

/* Above and below which a leaf is split and joined; a wait of a writer counts TREE_WAITED, a free way in -1. */
#define TREE_WAITED 250
#define TREE_SPLIT_ABOVE 1000
#define TREE_JOIN_BELOW (-1000)

#endif
