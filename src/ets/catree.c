#include "ets/catree.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/mix.h"
#include "ets/count.h"
#include "ets/tree.h"
#include "heap/copy.h"
#include "term/compare.h"

struct TreeNode {
    ProgressNode free_node;
    bool is_leaf;
    union {
        struct {
            FairLock lock;
            Object *root;
            int contention;
            bool is_valid;
        };
        struct {
            Object *separator; /* {Key} */
            _Atomic(TreeNode *) child[2];
        };
    };
};

static void count_node(Table *t, int by) { atomic_fetch_add_explicit(&t->tree.nodes, by, memory_order_relaxed); }

static TreeNode *leaf_create(Table *t, Object *root) {
    TreeNode *leaf = mem_calloc(ALLOC_ETS_TABLE, sizeof *leaf);
    leaf->is_leaf = leaf->is_valid = true;
    leaf->root = root;
    count_node(t, 1);
    return leaf;
}

static TreeNode *route_create(Table *t, Term key, TreeNode *low, TreeNode *high) {
    Term words[2] = {header_make(KIND_TUPLE, 1), key};
    TreeNode *route = mem_calloc(ALLOC_ETS_TABLE, sizeof *route);
    route->separator = object_create(boxed_make(words));
    atomic_init(&route->child[0], low);
    atomic_init(&route->child[1], high);
    count_node(t, 1);
    return route;
}

static Term separator(const TreeNode *route) { return object_key(route->separator, 1); }
Object **leaf_root(TreeNode *leaf) { return &leaf->root; }
static TreeNode *follow(_Atomic(TreeNode *) *link) { return atomic_load_explicit(link, memory_order_acquire); }
Object **catree_only_root(const Table *t) { return &follow(&((Table *)t)->tree.top)->root; }

static void node_free(TreeNode *node) {
    if (!node->is_leaf)
        object_free(node->separator);
    mem_free(ALLOC_ETS_TABLE, node);
}

static void free_later(ProgressNode *p) { node_free(container_of(p, TreeNode, free_node)); }

/* It is out of the tree; others may still be on their way to it. */
static void node_retire(Table *t, TreeNode *node) {
    count_node(t, -1);
    node->free_node.run = free_later;
    thread_progress_later(&node->free_node);
}

void catree_init(Table *t) {
    mutex_init(&t->tree.routes, LOCK_ETS_ROUTES);
    atomic_init(&t->tree.top, leaf_create(t, NULL));
}

void catree_release(Table *t) {
    TreeNode *top = atomic_load(&t->tree.top);
    require(top->is_leaf && !top->root); /* catree_clear_some has been there */
    node_free(top);
    mutex_release(&t->tree.routes);
}

/* Finding */

static bool goes_right(const TreeNode *route, Place place) {
    switch (place.where) {
    case AT_KEY: return term_compare(place.key, separator(route)) >= 0;
    case BELOW_KEY: return term_compare(place.key, separator(route)) > 0;
    case AT_LOW_BOUND: return match_bound_compare(place.bound, separator(route)) > 0;
    case AT_HIGH_BOUND: return match_bound_compare(place.bound, separator(route)) >= 0;
    default: return place.where == AT_END;
    }
}

static TreeNode *find(Table *t, Place place, Term *low, Term *high) {
    TreeNode *node = follow(&t->tree.top);
    *low = *high = NON_VALUE;
    while (!node->is_leaf) {
        bool right = goes_right(node, place);
        *(right ? low : high) = separator(node);
        node = follow(&node->child[right]);
    }
    return node;
}

TreeNode *catree_leaf(const Table *t, Term key) {
    Term low, high;
    return find((Table *)t, place_at(key), &low, &high);
}

static void lock_leaf(const Table *t, TreeNode *leaf, bool write) {
    if (!write) {
        fair_lock_read(&leaf->lock, &t->name);
    } else if (likely(fair_lock_try_write(&leaf->lock))) {
        if (leaf->contention >= TREE_JOIN_BELOW)
            leaf->contention--;
    } else {
        fair_lock_write_slow(&leaf->lock, &t->name);
        leaf->contention += TREE_WAITED;
    }
}

TreeNode *catree_enter(Table *t, Place place, bool write, Term *low, Term *high) {
    for (;;) {
        TreeNode *leaf = find(t, place, low, high);
        if (!t->shares_writes)
            return leaf;
        lock_leaf(t, leaf, write);
        if (likely(leaf->is_valid))
            return leaf;
        catree_leave(t, leaf, write);
    }
}

void catree_leave(Table *t, TreeNode *leaf, bool write) {
    if (!t->shares_writes)
        return;
    if (write)
        fair_lock_end_write(&leaf->lock);
    else
        fair_lock_end_read(&leaf->lock);
}

/* Adapting. All with the leaf's lock, which writers hold, and the routes' lock. */

/* The link that leads to the leaf of the key, and the one that leads to its route (NULL: there is no route). */
static _Atomic(TreeNode *) *link_of(Table *t, Term key, _Atomic(TreeNode *) **above) {
    _Atomic(TreeNode *) *link = &t->tree.top;
    *above = NULL;
    for (TreeNode *node; !(node = follow(link))->is_leaf;) {
        *above = link;
        link = &node->child[goes_right(node, place_at(key))];
    }
    return link;
}

/* The leaf gives its objects to two new ones. False: it has too few. */
static bool split(Table *t, TreeNode *leaf, Term key) {
    Term middle;
    _Atomic(TreeNode *) *above, *link = link_of(t, key, &above);
    Object *lower = tree_split(t, &leaf->root, &middle);
    leaf->contention = 0;
    if (!lower)
        return false;
    TreeNode *route = route_create(t, middle, leaf_create(t, lower), leaf_create(t, leaf->root));
    leaf->root = NULL;
    leaf->is_valid = false;
    atomic_store_explicit(link, route, memory_order_release);
    return true;
}

/* The neighbour under the same route: along the side that faces the leaf. *link is what leads to it. */
static TreeNode *neighbour(TreeNode *route, bool side, _Atomic(TreeNode *) **link) {
    *link = &route->child[!side];
    for (TreeNode *node; !(node = follow(*link))->is_leaf;)
        *link = &node->child[side];
    return follow(*link);
}

/* The objects of the leaf and its neighbour go to a new leaf in the neighbour's place, and the route between them goes.
 * False: there is no neighbour, or it is in use. */
static bool join(Table *t, TreeNode *leaf, Term key) {
    _Atomic(TreeNode *) *above, *link = link_of(t, key, &above), *other_link;
    leaf->contention = 0;
    if (!above)
        return false;
    TreeNode *route = follow(above);
    bool side = link == &route->child[1];
    TreeNode *other = neighbour(route, side, &other_link);
    if (!fair_lock_try_write(&other->lock))
        return false;
    Object *lower = side ? other->root : leaf->root, *upper = side ? leaf->root : other->root;
    TreeNode *joined = leaf_create(t, tree_join(t, lower, upper));
    leaf->root = other->root = NULL;
    leaf->is_valid = other->is_valid = false;
    atomic_store_explicit(other_link, joined, memory_order_release);
    atomic_store_explicit(above, follow(&route->child[!side]), memory_order_release);
    fair_lock_end_write(&other->lock);
    node_retire(t, other);
    node_retire(t, route);
    return true;
}

void catree_set_habit(Table *t, TreeHabit habit) { atomic_store(&t->tree.habit, habit); }

/* As if writers had, or had not, waited for this leaf. */
static noinline void pretend(TreeHabit habit, TreeNode *leaf) {
    static _Atomic uint64_t chance;
    uint64_t n = habit == TREE_SPLITS ? 0 : mix_word(atomic_fetch_add_explicit(&chance, 1, memory_order_relaxed)) % 8;
    if (n < 2)
        leaf->contention = n == 0 ? TREE_SPLIT_ABOVE + 1 : TREE_JOIN_BELOW - 1;
}

void catree_leave_written(Table *t, TreeNode *leaf, Term key) {
    TreeHabit habit = atomic_load_explicit(&t->tree.habit, memory_order_relaxed);
    if (unlikely(habit != TREE_ADAPTS) && t->shares_writes)
        pretend(habit, leaf);
    bool crowded = leaf->contention > TREE_SPLIT_ABOVE, quiet = leaf->contention < TREE_JOIN_BELOW, is_out = false;
    if (unlikely(crowded || quiet) && t->shares_writes && mutex_try_lock(&t->tree.routes)) {
        is_out = crowded ? split(t, leaf, key) : join(t, leaf, key);
        mutex_unlock(&t->tree.routes);
    }
    catree_leave(t, leaf, true);
    if (is_out)
        node_retire(t, leaf);
}

/* Walking over leaves */

static Term key_of(const Table *t, const Object *o, Area *area) {
    if (!o)
        return NON_VALUE;
    Term key = table_key(t, o);
    return is_immediate(key) ? key : term_copy(key, area);
}

Term catree_key_beside(Table *t, Term key, bool up, Area *area) {
    if (!t->shares_writes)
        return key_of(t, tree_beside(t, *catree_only_root(t), key, up), area);
    Place place = place_beyond(key, up);
    for (;;) {
        Term low, high;
        TreeNode *leaf = catree_enter(t, place, false, &low, &high);
        Term found = key_of(t, tree_beside(t, leaf->root, key, up), area);
        catree_leave(t, leaf, false);
        Term edge = up ? high : low;
        if (is_value(found) || !is_value(edge))
            return found;
        long_work_count(UNITS_PER_LEAF);
        place = place_beyond(edge, up);
    }
}

#define NTH_OBJECTS 1000 /* in a round */

/* In one leaf. */
static NextStep leaf_nth(Table *t, TreeNode *leaf, Term *key, uint64_t *n, unsigned *left, Area *area, Term *object) {
    TreeWalk walk;
    tree_walk_init(&walk, t, leaf->root, *key, true);
    Object *o = NULL, *last = NULL;
    for (; *left > 0 && (o = tree_walk_next(&walk)); --*left, last = o)
        if ((*n)-- == 0) {
            *object = object_copy(o, area);
            return NEXT_FOUND;
        }
    if (last)
        *key = term_copy(table_key(t, last), area);
    return *left == 0 ? NEXT_ROUND : NEXT_END;
}

NextStep catree_nth(Table *t, Term *key, uint64_t *n, Area *area, Term *object) {
    Place place = place_beyond(*key, true);
    for (unsigned left = NTH_OBJECTS;;) {
        Term low, high;
        TreeNode *leaf = catree_enter(t, place, false, &low, &high);
        NextStep step = leaf_nth(t, leaf, key, n, &left, area, object);
        catree_leave(t, leaf, false);
        if (step != NEXT_END || !is_value(high))
            return step;
        long_work_count(UNITS_PER_LEAF);
        place = place_beyond(high, true);
    }
}

void catree_remember(Table *t, uint64_t n, Term object, uint64_t changes) {
    if (t->shares_writes || t->changes != changes)
        return;
    Object *o = tree_find(t, *catree_only_root(t), tuple_elements(object)[t->keypos - 1]);
    mutex_lock(&t->growing);
    t->tree.slot = (SlotPlace){o, n, changes};
    mutex_unlock(&t->growing);
}

Term catree_near_nth(Table *t, uint64_t n, Area *area) {
    mutex_lock(&t->growing);
    SlotPlace last = t->tree.slot;
    mutex_unlock(&t->growing);
    bool up = n > last.number;
    uint64_t steps = up ? n - last.number : last.number - n;
    if (last.object == NULL || last.changes != t->changes || steps > NTH_OBJECTS)
        return NON_VALUE;
    Object *o = last.object;
    TreeWalk walk;
    tree_walk_init(&walk, t, *catree_only_root(t), table_key(t, o), up);
    while (steps-- > 0)
        o = tree_walk_next(&walk);
    return object_copy(o, area);
}

void catree_figures(Table *t, size_t *routes, size_t *leaves, size_t *depth) {
    Place place = place_beyond(NON_VALUE, true);
    *leaves = *depth = 0;
    for (;;) {
        size_t above = 0;
        Term high = NON_VALUE;
        for (TreeNode *node = follow(&t->tree.top); !node->is_leaf; above++) {
            bool right = goes_right(node, place);
            if (!right)
                high = separator(node);
            node = follow(&node->child[right]);
        }
        ++*leaves;
        long_work_count(UNITS_PER_LEAF);
        *depth = above > *depth ? above : *depth;
        *routes = *leaves - 1;
        if (!is_value(high))
            return;
        place = place_beyond(high, true);
    }
}

size_t catree_memory_words(const Table *t) {
    return (size_t)atomic_load_explicit(&t->tree.nodes, memory_order_relaxed) * sizeof(TreeNode) / WORD_BYTES;
}

void catree_swap(Table *t, Table *to) {
    TreeNode *top = atomic_load(&t->tree.top);
    atomic_store(&t->tree.top, atomic_exchange(&to->tree.top, top));
    atomic_store(&t->tree.nodes, atomic_exchange(&to->tree.nodes, atomic_load(&t->tree.nodes)));
}

bool catree_clear_some(Table *t, int64_t *budget) {
    Term low, high;
    for (;;) {
        TreeNode *leaf = find(t, place_beyond(NON_VALUE, true), &low, &high);
        for (Object *o; (o = tree_take_any(&leaf->root)); (*budget)--) {
            table_count_gone(t, o);
            object_free(o);
            if (*budget <= 1)
                return false;
        }
        _Atomic(TreeNode *) *link = &t->tree.top, *above = NULL;
        for (TreeNode *node; !(node = follow(link))->is_leaf; link = &node->child[0])
            above = link;
        if (!above)
            return true;
        TreeNode *route = follow(above); /* its smaller leaf is empty: the other side takes its place */
        leaf->is_valid = false;
        atomic_store_explicit(above, follow(&route->child[1]), memory_order_release);
        node_retire(t, leaf);
        node_retire(t, route);
        --*budget;
    }
}
