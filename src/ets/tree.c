#include "ets/tree.h"

#include "term/compare.h"

Object *tree_find(const Table *t, Term key) {
    Object *o = t->root;
    while (o) {
        int order = term_compare(key, table_key(t, o));
        if (order == 0)
            return o;
        o = o->link[order > 0];
    }
    return NULL;
}

Object *tree_beside(const Table *t, Term key, bool above) {
    Object *found = NULL;
    for (Object *o = t->root; o;) {
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

/* Goes down to the key; true when it is there: the last place holds it. Else the last place is empty. */
static bool descend(Table *t, Term key, Path *path) {
    Object **place = &t->root;
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

void tree_replace(Table *t, Object *old, Object *new) {
    Path path;
    descend(t, table_key(t, old), &path);
    new->link[0] = old->link[0];
    new->link[1] = old->link[1];
    new->balance = old->balance;
    *path.place[path.depth] = new;
    table_count(t, old, -1);
    table_count(t, new, 1);
    object_free(old);
}

void tree_put(Table *t, Object *o) {
    Path path;
    if (descend(t, table_key(t, o), &path)) {
        tree_replace(t, *path.place[path.depth], o);
        return;
    }
    *path.place[path.depth] = o;
    table_count(t, o, 1);
    while (path.depth-- > 0) { /* the subtree below place[depth] has grown on one side */
        Object *parent = *path.place[path.depth];
        int8_t sign = path.greater[path.depth] ? 1 : -1;
        if (parent->balance == sign) {
            rebalance(path.place[path.depth], path.greater[path.depth]);
            return;
        }
        parent->balance += sign;
        if (parent->balance == 0)
            return;
    }
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
static Object *take_at(Table *t, Path *path) {
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
    table_count(t, o, -1);
    return o;
}

Object *tree_take(Table *t, Term key) {
    Path path;
    return descend(t, key, &path) ? take_at(t, &path) : NULL;
}

Object *tree_take_any(Table *t) {
    Object **place = &t->root;
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

void tree_walk_init(TreeWalk *w, const Table *t, Term key, bool up) {
    w->depth = 0;
    w->up = up;
    if (!is_value(key)) {
        push_edge(w, t->root);
        return;
    }
    for (Object *o = t->root; o;) {
        int order = term_compare(key, table_key(t, o));
        bool beyond = up ? order < 0 : order > 0;
        if (beyond)
            w->path[w->depth++] = o;
        o = o->link[up ? !beyond : beyond];
    }
}

Object *tree_walk_next(TreeWalk *w) {
    if (w->depth == 0)
        return NULL;
    Object *o = w->path[--w->depth];
    push_edge(w, o->link[w->up]);
    return o;
}

Object *tree_nth(const Table *t, uint64_t n) {
    TreeWalk w;
    tree_walk_init(&w, t, NON_VALUE, true);
    Object *o = tree_walk_next(&w);
    for (; o && n > 0; n--)
        o = tree_walk_next(&w);
    return o;
}
