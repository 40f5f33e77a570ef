#include "ets/traverse.h"

#include "ets/catree.h"
#include "ets/hash.h"
#include "ets/tables.h"
#include "ets/tree.h"
#include "heap/copy.h"
#include "term/atom.h"
#include "term/compare.h"

typedef enum { OBJECT_STAYS, OBJECT_GOES, OBJECT_REPLACED } ObjectFate;

/* Counts the object if it matches, and says what becomes of it. *result: the new object of a replacement. */
static ObjectFate look_at(Traversal *tr, MatchRun *run, Object *o, Term *result) {
    tr->budget--;
    ObjectView view;
    *result = match_run(run, object_view(o, &view));
    object_view_release(&view);
    if (!is_value(*result))
        return OBJECT_STAYS;
    switch (tr->kind) {
    case TRAVERSE_SELECT:
        tr->list = area_cons(tr->area, *result, tr->list);
        tr->count++;
        return OBJECT_STAYS;
    case TRAVERSE_COUNT: tr->count += *result == am_true; return OBJECT_STAYS;
    case TRAVERSE_DELETE: tr->count += *result == am_true; return *result == am_true ? OBJECT_GOES : OBJECT_STAYS;
    default: tr->count++; return OBJECT_REPLACED;
    }
}

static bool is_full(const Traversal *tr) { return tr->limit >= 0 && tr->count >= tr->limit; }
static bool writes(const Traversal *tr) { return tr->kind == TRAVERSE_DELETE || tr->kind == TRAVERSE_REPLACE; }

/* One bucket, its stripe held by us. */
static void traverse_bucket(Traversal *tr, MatchRun *run, Hold *hold, uint64_t number) {
    Table *t = tr->table;
    for (Object **place = hash_bucket(t, number); *place;) {
        Object *o = *place;
        Term result;
        ObjectFate fate = o->deleted ? OBJECT_STAYS : look_at(tr, run, o, &result);
        if (fate == OBJECT_GOES && hash_remove_at(t, place))
            continue;
        if (fate == OBJECT_REPLACED)
            hash_replace(hold, o, table_object(t, result));
        place = &(*place)->link[0];
    }
    tr->budget--;
}

static void hold_bucket(Traversal *tr, Hold *hold, uint64_t number) {
    if (tr->table->stripe_count == 1)
        return;
    hold->stripe = hash_bucket_stripe(tr->table, number);
    if (writes(tr))
        fair_lock_write(&hold->stripe->lock);
    else
        fair_lock_read(&hold->stripe->lock);
}

static void let_bucket_go(const Traversal *tr, Hold *hold) {
    if (hold->stripe && writes(tr))
        fair_lock_end_write(&hold->stripe->lock);
    else if (hold->stripe)
        fair_lock_end_read(&hold->stripe->lock);
    hold->stripe = NULL;
}

static TraverseStatus traverse_hash(Traversal *tr, MatchRun *run, Hold *hold) {
    while (tr->bucket < hash_bucket_count(tr->table)) {
        if (is_full(tr))
            return TRAVERSE_LIMIT;
        if (tr->budget <= 0)
            return TRAVERSE_ROUND;
        hold_bucket(tr, hold, tr->bucket);
        traverse_bucket(tr, run, hold, tr->bucket);
        let_bucket_go(tr, hold);
        tr->bucket++;
    }
    return TRAVERSE_DONE;
}

/* One leaf of a tree, held by us; from where the traversal stands. */
static TraverseStatus traverse_leaf(Traversal *tr, MatchRun *run, TreeNode *leaf) {
    Table *t = tr->table;
    Object **root = leaf_root(leaf), *last = NULL, *o;
    TreeWalk walk;
    TraverseStatus status = TRAVERSE_DONE;
    tree_walk_init(&walk, t, *root, tr->key, tr->up);
    for (;;) {
        if (is_full(tr) || tr->budget <= 0) {
            status = is_full(tr) ? TRAVERSE_LIMIT : TRAVERSE_ROUND;
            break;
        }
        if (!(o = tree_walk_next(&walk)))
            break;
        Term result;
        switch (look_at(tr, run, o, &result)) {
        case OBJECT_REPLACED: {
            Object *new = table_object(t, result);
            tree_replace(t, root, o, new);
            last = new;
            break;
        }
        case OBJECT_GOES: /* the tree changes: start again from here */
            o = tree_take(t, root, table_key(t, o));
            tr->key = term_copy(table_key(t, o), tr->area);
            object_free(o);
            last = NULL;
            tree_walk_init(&walk, t, *root, tr->key, tr->up);
            break;
        default: last = o;
        }
    }
    if (last)
        tr->key = term_copy(table_key(t, last), tr->area);
    return status;
}

/* Leaf by leaf. What other writers join to the next leaf behind our back lies before tr->key, and is passed over. */
static TraverseStatus traverse_tree(Traversal *tr, MatchRun *run) {
    Place place = place_beyond(tr->key, tr->up);
    for (;;) {
        Term low, high;
        TreeNode *leaf = catree_enter(tr->table, place, writes(tr), &low, &high);
        TraverseStatus status = traverse_leaf(tr, run, leaf);
        catree_leave(tr->table, leaf, writes(tr));
        Term edge = tr->up ? high : low;
        if (status != TRAVERSE_DONE || !is_value(edge))
            return status;
        place = place_beyond(edge, tr->up);
        tr->budget--;
    }
}

/* Objects of one key. */
static bool traverse_key(Traversal *tr, MatchRun *run, Term key) {
    Table *t = tr->table;
    Hold hold;
    if (!table_hold_key(t, writes(tr) ? HOLD_WRITE : HOLD_READ, key, &hold))
        return false;
    Object *next;
    for (Object *o = table_first_object(&hold, key); o; o = next) {
        Term result;
        next = table_next_object(&hold, o);
        switch (look_at(tr, run, o, &result)) {
        case OBJECT_GOES:
            if (table_is_tree(t) || t->type == TABLE_SET)
                table_delete_key(&hold, key);
            else /* duplicates match alike: all of them go at their first */
                while (next && objects_equal(next, o)) {
                    tr->count++;
                    next = table_next_object(&hold, next);
                }
            if (t->type == TABLE_BAG || t->type == TABLE_DUPLICATE_BAG) {
                Term tuple = object_copy(o, tr->area);
                table_delete_object(&hold, tuple);
            }
            break;
        case OBJECT_REPLACED: table_replace(&hold, o, table_object(t, result)); break;
        default: break;
        }
    }
    table_let_go(&hold);
    return true;
}

/* Do the clauses name all the keys that can match? */
static bool names_all_keys(const Traversal *tr) {
    size_t clauses = match_spec_clause_count(tr->spec);
    for (size_t i = 0; i < clauses; i++) {
        bool never;
        if (!is_value(match_spec_clause_key(tr->spec, i, tr->table->keypos, &never)) && !never)
            return false;
    }
    return true;
}

static bool is_seen(const Traversal *tr, size_t clause, Term key) {
    for (size_t i = 0; i < clause; i++) {
        bool never;
        Term other = match_spec_clause_key(tr->spec, i, tr->table->keypos, &never);
        if (is_value(other) && (table_is_tree(tr->table) ? term_equal(key, other) : term_identical(key, other)))
            return true;
    }
    return false;
}

static TraverseStatus traverse_keys(Traversal *tr, MatchRun *run) {
    for (size_t i = 0; i < match_spec_clause_count(tr->spec); i++) {
        bool never;
        Term key = match_spec_clause_key(tr->spec, i, tr->table->keypos, &never);
        if (is_value(key) && !is_seen(tr, i, key) && !traverse_key(tr, run, key))
            return TRAVERSE_GONE;
    }
    tr->bucket = UINT64_MAX;
    return TRAVERSE_DONE;
}

static TraverseStatus traverse_all(Traversal *tr, MatchRun *run) {
    Table *t = tr->table;
    Hold hold;
    bool brief = t->shares_writes && !table_is_tree(t); /* others may grow it while we hold it */
    if (brief)
        tables_fix_briefly(t);
    TraverseStatus status = TRAVERSE_GONE;
    if (table_hold(t, writes(tr) ? HOLD_WRITE : HOLD_READ, &hold)) {
        status = table_is_tree(t) ? traverse_tree(tr, run) : traverse_hash(tr, run, &hold);
        if (status == TRAVERSE_ROUND && !tr->fixed) { /* before others may change the number of buckets */
            tables_fix(t, tr->self);
            tr->fixed = true;
        }
        table_let_go(&hold);
    }
    if (brief)
        tables_unfix_briefly(t);
    return status;
}

TraverseStatus traverse_run(Traversal *tr) {
    MatchRun run;
    match_run_init(&run, tr->spec, tr->area, tr->self);
    bool fresh = tr->bucket == 0 && !is_value(tr->key);
    bool keys = tr->bucket == UINT64_MAX || (fresh && names_all_keys(tr) && (!table_is_tree(tr->table) ||
                                                                          match_spec_clause_count(tr->spec) == 1));
    TraverseStatus status = TRAVERSE_DONE;
    if (!keys)
        status = traverse_all(tr, &run);
    else if (tr->bucket != UINT64_MAX)
        status = traverse_keys(tr, &run);
    match_run_release(&run);
    return status;
}
