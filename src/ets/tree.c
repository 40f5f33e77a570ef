#include "ets/tree.h"
#include "ets/count.h"

#include "term/compare.h"

/* Most keys are small: then which way to go is no branch that could be foreseen wrongly, and both ways are loaded
 * before it is known. */
static inline Object *way(const Object *o, bool up) {
    Object *less = o->link[0], *more = o->link[1];
    __asm__("" : "+r"(less), "+r"(more)); /* else one address is chosen, and loaded from afterwards */
    return __builtin_unpredictable(up) ? more : less;
}

static noinline int compare_other(Term key, Term k) { return term_compare(key, k); }

/* On from an object of the key k, which is not the small key itself. NULL with *is_it: that one is equal to it, by
 * another word. */
force_inline Object *step(Object *o, Term key, Term k, bool *up, bool *is_it) {
    if (likely(is_small(k))) {
        *up = (SWord)key > (SWord)k;
        return way(o, *up);
    }
    int order = compare_other(key, k);
    *up = order > 0;
    *is_it = order == 0;
    return order == 0 ? NULL : o->link[*up];
}

static Object *find_small(Object *o, size_t keypos, Term key) {
    bool up, is_it = false;
    for (Object *next; o; o = next) {
        Term k = object_key(o, keypos);
        if (k == key)
            return o;
        next = step(o, key, k, &up, &is_it);
        if (unlikely(is_it))
            return o;
    }
    return NULL;
}

Object *tree_find(const Table *t, Object *root, Term key) {
    if (is_small(key))
        return find_small(root, t->keypos, key);
    Object *o = root;
    while (o) {
        int order = term_compare(key, table_key(t, o));
        if (order == 0)
            return o;
        o = o->link[order > 0];
    }
    return NULL;
}

static Object *least_of(Object *o, bool up, Object *none) {
    for (; o; o = o->link[!up])
        none = o;
    return none;
}

/* As in find_small; and once the key itself is met, no keys are looked at below it. */
force_inline Object *beside_small(Object *o, size_t keypos, Term key, bool above) {
    Object *found = NULL;
    bool up, is_it = false;
    for (Object *next; o; o = next) {
        Term k = object_key(o, keypos);
        if (k == key)
            return least_of(o->link[above], above, found);
        next = step(o, key, k, &up, &is_it);
        if (unlikely(is_it))
            return least_of(o->link[above], above, found);
        found = __builtin_unpredictable(up != above) ? o : found;
    }
    return found;
}

Object *tree_beside(const Table *t, Object *root, Term key, bool above) {
    if (is_small(key))
        return above ? beside_small(root, t->keypos, key, true) : beside_small(root, t->keypos, key, false);
    Object *found = NULL;
    for (Object *o = root; o;) {
        int order = is_value(key) ? term_compare(key, table_key(t, o)) : above ? -1 : 1;
        bool beyond = above ? order < 0 : order > 0; /* o is on the wanted side of the key */
        if (beyond)
            found = o;
        o = o->link[above ? !beyond : beyond];
    }
    return found;
}

/* Changing. A path is the places that were followed: path[i] points to the link that holds the i-th object. */
typedef struct {
    Object **place[TREE_DEPTH_MAX];
    bool greater[TREE_DEPTH_MAX]; /* which way it went on from there */
    unsigned depth;
} Path;

static bool descend_small(size_t keypos, Object **place, Term key, Path *path) {
    unsigned depth = 0;
    Object *o = *place;
    bool up, is_it = false;
    path->place[0] = place;
    for (Object *next; o; o = next) {
        Term k = object_key(o, keypos);
        if (k == key)
            break;
        next = step(o, key, k, &up, &is_it);
        if (unlikely(is_it))
            break;
        path->greater[depth++] = up;
        path->place[depth] = &o->link[up];
    }
    path->depth = depth;
    return o != NULL;
}

/* Goes down to the key; true when it is there: the last place holds it. Else the last place is empty. */
static bool descend(const Table *t, Object **root, Term key, Path *path) {
    if (is_small(key))
        return descend_small(t->keypos, root, key, path);
    Object **place = root;
    path->depth = 0;
    for (;;) {
        path->place[path->depth] = place;
        if (!*place)
            return false;
        int order = term_compare(key, table_key(t, *place));
        if (order == 0)
            return true;
        path->greater[path->depth++] = order > 0;
        place = &(*place)->link[order > 0];
    }
}

/* Makes the child on side `up` the parent. */
static void rotate(Object **place, bool up) {
    Object *parent = *place, *child = parent->link[up];
    parent->link[up] = child->link[!up];
    child->link[!up] = parent;
    *place = child;
}

/* The object at *place is two higher on side `heavy`. True when the height shrank by the repair. */
static bool rebalance(Object **place, bool heavy) {
    Object *o = *place, *child = o->link[heavy];
    int8_t sign = heavy ? 1 : -1;
    if (child->balance == -sign) {
        Object *middle = child->link[!heavy];
        rotate(&o->link[heavy], !heavy);
        rotate(place, heavy);
        o->balance = middle->balance == sign ? (int8_t)-sign : 0;
        child->balance = middle->balance == -sign ? sign : 0;
        middle->balance = 0;
        return true;
    }
    rotate(place, heavy);
    if (child->balance == 0) {
        o->balance = sign;
        child->balance = (int8_t)-sign;
        return false;
    }
    o->balance = child->balance = 0;
    return true;
}

static void replace_at(Table *t, Object **place, Object *new) {
    Object *old = *place;
    new->link[0] = old->link[0];
    new->link[1] = old->link[1];
    new->balance = old->balance;
    *place = new;
    Counts counts = {0};
    counts_add(&counts, old, -1);
    counts_add(&counts, new, 1);
    table_count(t, 0, counts);
    object_free(old);
}

void tree_replace(Table *t, Object **root, Object *old, Object *new) {
    Path path;
    descend(t, root, table_key(t, old), &path);
    replace_at(t, path.place[path.depth], new);
}

/* The subtree at the end of the path is one higher than it was. */
static void grew(Path *path) {
    while (path->depth-- > 0) {
        Object **place = path->place[path->depth], *parent = *place;
        bool greater = path->greater[path->depth];
        int8_t sign = greater ? 1 : -1;
        if (parent->balance == sign) {
            if (rebalance(place, greater))
                return;
        } else {
            parent->balance += sign;
            if (parent->balance == 0)
                return;
        }
    }
}

/* Not in the tree yet. */
static void insert_at(Path *path, Object *o) {
    *path->place[path->depth] = o;
    grew(path);
}

static void put_at(Table *t, Path *path, bool there, Object *o) {
    if (there) {
        replace_at(t, path->place[path->depth], o);
        return;
    }
    table_count_one(t, 0, o, 1);
    insert_at(path, o);
}

void tree_put(Table *t, Object **root, Object *o) {
    Path path;
    put_at(t, &path, descend(t, root, table_key(t, o), &path), o);
}

void tree_put_plain(Table *t, Object **root, Term tuple) {
    Path path;
    bool there = descend(t, root, tuple_elements(tuple)[t->keypos - 1], &path);
    if (!there || !object_overwrite(*path.place[path.depth], tuple))
        put_at(t, &path, there, table_object(t, tuple));
}

static void shrank(Path *path) {
    while (path->depth-- > 0) {
        Object **place = path->place[path->depth];
        bool greater = path->greater[path->depth];
        int8_t sign = greater ? 1 : -1;
        if ((*place)->balance == -sign) {
            if (!rebalance(place, !greater))
                return;
        } else {
            (*place)->balance -= sign;
            if ((*place)->balance != 0)
                return;
        }
    }
}

/* The object at the end of the path goes out. With two children, the next greater one takes its place. */
static Object *take_at(Path *path) {
    unsigned at = path->depth;
    Object **place = path->place[at], *o = *place;
    if (o->link[0] && o->link[1]) {
        path->greater[path->depth++] = true;
        Object **next = &o->link[1];
        for (path->place[path->depth] = next; (*next)->link[0]; path->place[path->depth] = next) {
            path->greater[path->depth++] = false;
            next = &(*next)->link[0];
        }
        Object *heir = *next;
        *next = heir->link[1];
        heir->link[0] = o->link[0];
        heir->link[1] = o->link[1];
        heir->balance = o->balance;
        *place = heir;
        if (path->depth > at + 1 || path->place[at + 1] == &o->link[1])
            path->place[at + 1] = &heir->link[1];
    } else {
        *place = o->link[o->link[0] == NULL];
    }
    shrank(path);
    o->link[0] = o->link[1] = NULL;
    o->balance = 0;
    return o;
}

Object *tree_take(Table *t, Object **root, Term key) {
    Path path;
    if (!descend(t, root, key, &path))
        return NULL;
    Object *o = take_at(&path);
    table_count_one(t, 0, o, -1);
    return o;
}

/* Splitting and joining. Source: Blelloch, Ferizovic, Sun, "Just Join for Parallel Ordered Sets", SPAA 2016. */

Object *tree_split(Table *t, Object **root, Term *key) {
    Object *o = *root;
    if (!o || !o->link[0])
        return NULL;
    Object *lower = o->link[0];
    *root = o->link[1];
    o->link[0] = o->link[1] = NULL;
    o->balance = 0;
    *key = table_key(t, o);
    Path path;
    descend(t, root, *key, &path);
    insert_at(&path, o);
    return lower;
}

static unsigned height_of(const Object *o) {
    unsigned height = 0;
    for (; o; o = o->link[o->balance > 0])
        height++;
    return height;
}

static Object *take_least(const Table *t, Object **root) {
    Object *o = *root;
    while (o->link[0])
        o = o->link[0];
    Path path;
    descend(t, root, table_key(t, o), &path);
    return take_at(&path);
}

/* `middle` goes in where the higher tree, along the side that faces the other, is about as high as that one. */
Object *tree_join(Table *t, Object *lower, Object *upper) {
    if (!lower || !upper)
        return lower ? lower : upper;
    Object *middle = take_least(t, &upper);
    unsigned low = height_of(lower), high = height_of(upper);
    bool greater = low > high; /* the way down: the greater side of `lower`, or the smaller side of `upper` */
    Object *root = greater ? lower : upper, *other = greater ? upper : lower;
    unsigned height = greater ? low : high, least = greater ? high : low;
    Path path = {.depth = 0};
    Object **place = &root;
    while (height > least + 1) {
        path.place[path.depth] = place;
        path.greater[path.depth++] = greater;
        height -= (*place)->balance == (greater ? -1 : 1) ? 2 : 1;
        place = &(*place)->link[greater];
    }
    path.place[path.depth] = place;
    middle->link[!greater] = *place;
    middle->link[greater] = other;
    middle->balance = (int8_t)((int)least - (int)height) * (greater ? 1 : -1);
    insert_at(&path, middle);
    return root;
}

Object *tree_take_any(Object **root) {
    Object **place = root;
    while (*place && ((*place)->link[0] || (*place)->link[1]))
        place = &(*place)->link[(*place)->link[0] == NULL];
    Object *o = *place;
    *place = NULL;
    return o;
}

/* Walking */

static void push_edge(TreeWalk *w, Object *o) {
    for (; o; o = o->link[!w->up])
        w->path[w->depth++] = o;
}

void tree_walk_init(TreeWalk *w, const Table *t, Object *root, Term key, bool up) {
    w->depth = 0;
    w->up = up;
    if (!is_value(key)) {
        push_edge(w, root);
        return;
    }
    for (Object *o = root; o;) {
        int order = term_compare(key, table_key(t, o));
        bool beyond = up ? order < 0 : order > 0;
        if (beyond)
            w->path[w->depth++] = o;
        o = o->link[up ? !beyond : beyond];
    }
}

void tree_walk_from(TreeWalk *w, const Table *t, Object *root, const KeyBound *bound, bool up) {
    w->depth = 0;
    w->up = up;
    for (Object *o = root; o;) {
        int order = match_bound_compare(bound, table_key(t, o));
        bool within = up ? order <= 0 : order >= 0;
        if (within)
            w->path[w->depth++] = o;
        o = o->link[up ? !within : within];
    }
}

Object *tree_walk_next(TreeWalk *w) {
    if (w->depth == 0)
        return NULL;
    Object *o = w->path[--w->depth];
    push_edge(w, o->link[w->up]);
    return o;
}
