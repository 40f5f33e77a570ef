#include "ets/traverse.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "ets/catree.h"
#include "ets/hash.h"
#include "ets/tables.h"
#include "ets/tree.h"
#include "heap/copy.h"
#include "term/atom.h"
#include "term/compare.h"

#define UNITS_PER_OBJECT 50 /* of long work, beside what matching takes */
#define WORDS_PER_BUDGET 100 /* of the specification's program, to be run as long as it takes to look at an object */
#define UNITS_TO_PASS 2
typedef enum { OBJECT_STAYS, OBJECT_GOES, OBJECT_REPLACED } ObjectFate;

/* What is made for one object and not selected is no garbage of the process's: a limit of its heap knows nothing of
 * it. */
static void run_begin(Traversal *tr, MatchRun *run) {
    fragment_area_init(&tr->passing, 0);
    match_run_init(run, tr->spec, tr->kind == TRAVERSE_SELECT ? tr->area : &tr->passing.area, tr->process->pid);
}

static void let_pass(Traversal *tr) {
    if (likely(tr->passing.chain == NULL))
        return;
    fragment_area_drop(&tr->passing);
    fragment_area_init(&tr->passing, 0);
}

static Object *replacement(Traversal *tr, Term result) {
    Object *new = table_object(tr->table, result);
    let_pass(tr);
    return new;
}

/* Counts the object if it matches, and says what becomes of it. *result: the new object of a replacement. */
static ObjectFate look_at(Traversal *tr, MatchRun *run, Object *o, Term *result) {
    tr->budget--;
    tr->looking_at++;
    long_work_count(UNITS_PER_OBJECT);
    if (tr->kind == TRAVERSE_VISIT) {
        tr->visit(o, tr->data);
        return OBJECT_STAYS;
    }
    ObjectView view;
    Term object = object_view(o, &view);
    run->block_words = view.is_used ? 0 : o->term_words;
    *result = match_run(run, object);
    tr->budget -= (int64_t)(run->passed / WORDS_PER_BUDGET);
    object_view_release(&view);
    if (tr->kind != TRAVERSE_REPLACE)
        let_pass(tr);
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

/* Objects from the place on, their stripe held by us: of a key, or (NON_VALUE) all of the chain. */
static void traverse_chain(Traversal *tr, MatchRun *run, Object **place, Term key, uint32_t hash) {
    Table *t = tr->table;
    unsigned left = LONG_WORK_ROUND;
    while (*place && (!is_value(key) || hash_has_key(t, *place, key, hash))) {
        Object *o = *place;
        Term result;
        left = long_work_step(left, UNITS_TO_PASS);
        ObjectFate fate = hash_is_live(t, o) ? look_at(tr, run, o, &result) : OBJECT_STAYS;
        if (fate == OBJECT_GOES && hash_remove_at(t, place))
            continue;
        if (fate == OBJECT_REPLACED)
            hash_replace_at(t, place, replacement(tr, result));
        place = &(*place)->next;
    }
}

/* To the table, for what it writes next is a change of its own (ets/count.h). */
static void come_again(const Traversal *tr) {
    if (writes(tr) && tr->table->shares_writes)
        table_lock_pass_own(&tr->table->lock);
}

/* It may be held already. */
static void hold_bucket(const Traversal *tr, Hold *hold, uint64_t number) {
    Stripe *stripe = hash_bucket_stripe(tr->table, number);
    if (tr->table->stripe_count == 1 || hold->stripe == stripe)
        return;
    hold->stripe = stripe;
    come_again(tr);
    if (writes(tr))
        fair_lock_write(&hold->stripe->lock, &tr->table->name);
    else
        fair_lock_read(&hold->stripe->lock, &tr->table->name);
}

static void let_bucket_go(const Traversal *tr, Hold *hold) {
    if (hold->stripe && writes(tr))
        fair_lock_end_write(&hold->stripe->lock);
    else if (hold->stripe)
        fair_lock_end_read(&hold->stripe->lock);
    hold->stripe = NULL;
}

#define BUCKETS_AT_ONCE 8 /* for which a stripe is held */

static TraverseStatus traverse_hash(Traversal *tr, MatchRun *run, Hold *hold) {
    const Table *t = tr->table;
    for (unsigned n = 1; tr->bucket != NO_BUCKET; n++) {
        if (tr->bucket < hash_bucket_count(t)) {
            if (is_full(tr))
                return TRAVERSE_LIMIT;
            if (tr->budget <= 0)
                return TRAVERSE_ROUND;
            hold_bucket(tr, hold, tr->bucket);
            tr->looked_at = tr->looking_at;
            traverse_chain(tr, run, hash_bucket(t, tr->bucket), NON_VALUE, 0);
            tr->budget--;
        }
        tr->bucket = hash_bucket_after(t, tr->bucket);
        bool ends = n % BUCKETS_AT_ONCE == 0 || is_full(tr) || tr->budget <= 0;
        if (hold->stripe && (ends || tr->bucket == NO_BUCKET || hash_bucket_stripe(t, tr->bucket) != hold->stripe))
            let_bucket_go(tr, hold);
    }
    return TRAVERSE_DONE;
}

/* What of a tree is walked over: from where the traversal stands, or the first bound, to the second one. */
typedef struct {
    const KeyBound *first, *last; /* NULL: no bound */
} Stretch;

static Stretch stretch_of(const KeyRange *range, bool up) {
    const KeyBound *low = is_value(range->low.pattern) ? &range->low : NULL;
    const KeyBound *high = is_value(range->high.pattern) ? &range->high : NULL;
    return up ? (Stretch){low, high} : (Stretch){high, low};
}

/* Is the key beyond all that can match? */
static bool is_past(const Traversal *tr, const Stretch *s, Term key) {
    if (!s->last)
        return false;
    int order = match_bound_compare(s->last, key);
    return tr->up ? order < 0 : order > 0;
}

static void walk_init(TreeWalk *walk, const Traversal *tr, const Stretch *s, Object *root) {
    if (!is_value(tr->key) && s->first)
        tree_walk_from(walk, tr->table, root, s->first, tr->up);
    else
        tree_walk_init(walk, tr->table, root, tr->key, tr->up);
}

/* One leaf, held by us. *past: there is nothing in others, either. What is deleted stays until its key is needed no
 * more: only the last key is copied, for a key may be large. */
static TraverseStatus traverse_leaf(Traversal *tr, MatchRun *run, TreeNode *leaf, const Stretch *s, bool *past) {
    Table *t = tr->table;
    Object **root = leaf_root(leaf), *last = NULL, *gone = NULL, *o;
    TreeWalk walk;
    TraverseStatus status = TRAVERSE_DONE;
    walk_init(&walk, tr, s, *root);
    for (;;) {
        if (is_full(tr) || tr->budget <= 0) {
            status = is_full(tr) ? TRAVERSE_LIMIT : TRAVERSE_ROUND;
            break;
        }
        if (!(o = tree_walk_next(&walk)) || (*past = is_past(tr, s, table_key(t, o))))
            break;
        Term result;
        switch (look_at(tr, run, o, &result)) {
        case OBJECT_REPLACED: {
            Object *new = replacement(tr, result);
            tree_replace(t, root, o, new);
            last = new;
            break;
        }
        case OBJECT_GOES: /* the tree changes: start again from here */
            o = tree_take(t, root, table_key(t, o));
            tree_walk_init(&walk, t, *root, table_key(t, o), tr->up);
            if (gone)
                object_free(gone);
            last = gone = o;
            break;
        default: last = o;
        }
    }
    if (last)
        tr->key = term_copy(table_key(t, last), tr->area);
    if (gone)
        object_free(gone);
    return status;
}

/* Leaf by leaf. What other writers join to the next leaf behind our back lies before tr->key, and is passed over.
 * Leaves are long work, and cost no budget: a round that ended before it came to an object would begin where it had
 * begun. */
static TraverseStatus traverse_tree(Traversal *tr, MatchRun *run) {
    KeyRange range = {{NON_VALUE, false}, {NON_VALUE, false}};
    if (tr->spec && !match_spec_key_range(tr->spec, tr->table->keypos, &range))
        return TRAVERSE_DONE;
    Stretch stretch = stretch_of(&range, tr->up);
    bool at_bound = !is_value(tr->key) && stretch.first;
    Place place = at_bound ? place_at_bound(stretch.first, tr->up) : place_beyond(tr->key, tr->up);
    for (;;) {
        Term low, high;
        bool past = false;
        come_again(tr);
        TreeNode *leaf = catree_enter(tr->table, place, writes(tr), &low, &high);
        TraverseStatus status = traverse_leaf(tr, run, leaf, &stretch, &past);
        catree_leave(tr->table, leaf, writes(tr));
        Term edge = tr->up ? high : low;
        if (past || status != TRAVERSE_DONE || !is_value(edge) || is_past(tr, &stretch, edge))
            return status;
        place = place_beyond(edge, tr->up);
        long_work_count(UNITS_PER_LEAF);
    }
}

/* The object of one key of a tree. */
static void traverse_tree_key(Traversal *tr, MatchRun *run, Hold *hold, Term key) {
    Object *o = table_first_object(hold, key);
    Term result;
    switch (o ? look_at(tr, run, o, &result) : OBJECT_STAYS) {
    case OBJECT_GOES: table_delete_key(hold, key); break;
    case OBJECT_REPLACED: table_replace(hold, o, replacement(tr, result)); break;
    default: break;
    }
}

static void traverse_held(Traversal *tr, MatchRun *run, Hold *hold) {
    if (table_is_tree(tr->table))
        traverse_tree_key(tr, run, hold, hold->key);
    else
        traverse_chain(tr, run, hash_find_place(tr->table, hold->key, hold->hash), hold->key, hold->hash);
}

/* False: the table is gone. */
static bool traverse_key(Traversal *tr, MatchRun *run, Term key) {
    Hold hold;
    if (!table_hold_key(tr->table, writes(tr) ? HOLD_WRITE : HOLD_READ, key, &hold))
        return false;
    traverse_held(tr, run, &hold);
    table_let_go(&hold);
    return true;
}

#define UNITS_PER_CLAUSE 20 /* of long work, where its key is looked for */

/* Do the clauses name all the keys that can match? */
static bool names_all_keys(const Traversal *tr) {
    size_t clauses = match_spec_clause_count(tr->spec);
    long_work_count_large(clauses, UNITS_PER_CLAUSE);
    for (size_t i = 0; i < clauses; i++) {
        bool never;
        if (!is_value(match_spec_clause_key(tr->spec, i, tr->table->keypos, &never)) && !never)
            return false;
    }
    return true;
}

/* Keys of clauses that were looked up: a hash table of numbers of clauses, from 1, with room for twice as many. Only of
 * hash tables: of an ordered set the keys are looked up only when there is one clause. */
typedef struct {
    size_t mask;
    uint32_t *clauses;
} SeenKeys;

/* True: it is a new one. */
static bool see_key(const Traversal *tr, SeenKeys *seen, size_t clause, Term key) {
    bool never;
    for (size_t i = hash_key(key);; i++) {
        uint32_t *place = &seen->clauses[i & seen->mask];
        if (*place == 0) {
            *place = (uint32_t)clause + 1;
            return true;
        }
        if (term_identical(match_spec_clause_key(tr->spec, *place - 1, tr->table->keypos, &never), key))
            return false;
    }
}

static TraverseStatus traverse_keys(Traversal *tr, MatchRun *run) {
    size_t count = match_spec_clause_count(tr->spec);
    SeenKeys seen = {.mask = 1};
    while (seen.mask < 2 * count)
        seen.mask = 2 * seen.mask + 1;
    seen.clauses = mem_calloc(ALLOC_TEMP, (seen.mask + 1) * sizeof *seen.clauses);
    tr->bucket = NO_BUCKET;
    TraverseStatus status = TRAVERSE_DONE;
    for (size_t i = 0; i < count && status == TRAVERSE_DONE; i++, tr->budget--) {
        bool never;
        long_work_count(UNITS_PER_CLAUSE);
        Term key = match_spec_clause_key(tr->spec, i, tr->table->keypos, &never);
        if (is_value(key) && see_key(tr, &seen, i, key) && !traverse_key(tr, run, key))
            status = TRAVERSE_GONE;
    }
    mem_free(ALLOC_TEMP, seen.clauses);
    return status;
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
            tables_fix(t, tr->process);
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
    if (tr->kind == TRAVERSE_VISIT)
        return traverse_all(tr, NULL);
    run_begin(tr, &run);
    bool fresh = tr->bucket == 0 && !is_value(tr->key);
    bool keys = tr->bucket == NO_BUCKET ||
                (fresh && names_all_keys(tr) && (!table_is_tree(tr->table) || match_spec_clause_count(tr->spec) == 1));
    TraverseStatus status = TRAVERSE_DONE;
    if (!keys)
        status = traverse_all(tr, &run);
    else if (tr->bucket != NO_BUCKET)
        status = traverse_keys(tr, &run);
    let_pass(tr);
    match_run_release(&run);
    return status;
}

Term traverse_only_key(const Traversal *tr) {
    bool never;
    if (match_spec_clause_count(tr->spec) != 1)
        return NON_VALUE;
    return match_spec_clause_key(tr->spec, 0, tr->table->keypos, &never);
}

void traverse_held_key(Traversal *tr, Hold *hold) {
    MatchRun run;
    run_begin(tr, &run);
    traverse_held(tr, &run, hold);
    tr->budget--;
    let_pass(tr);
    match_run_release(&run);
}
