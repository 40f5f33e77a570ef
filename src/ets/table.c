#include "ets/table.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "ets/catree.h"
#include "ets/hash.h"
#include "ets/hold.h"
#include "ets/tree.h"
#include "heap/copy.h"
#include "process/reference.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/node.h"

static unsigned stripes_wanted(const TableOptions *options) { return options->stripes ? options->stripes : STRIPES; }

static size_t stripes_bytes(const Table *t) {
    return t->stripe_count * (sizeof(Stripe) + (t->stripe_count > 1 ? sizeof(Earlier) : 0));
}

static void stripes_create(Table *t, unsigned count) {
    t->stripe_count = count;
    t->stripes = mem_alloc_aligned(ALLOC_ETS_TABLE, stripes_bytes(t), _Alignof(Stripe));
    memset(t->stripes, 0, stripes_bytes(t));
    t->earlier = count > 1 ? (Earlier *)(t->stripes + count) : NULL;
}

/* All objects are out, and nobody can hold it any more. What looks at it yet looks at locks, and sees that it is
 * deleted. */
static void release_contents(Table *t) {
    if (table_is_tree(t))
        catree_release(t);
    else
        hash_release(t);
    mem_free(ALLOC_ETS_TABLE, t->stripes);
    t->stripes = NULL;
}

/* Nobody can have found it by name any more, and be about to look whether it is deleted. */
static void free_structure(ProgressNode *node) {
    Table *t = container_of(node, Table, free_node);
    mutex_release(&t->growing);
    mutex_release(&t->counting);
    mutex_release(&t->fixing);
    refc_binary_free(t->binary);
}

/* The last reference is gone: the registry's went when the table was deleted and emptied. */
bool table_destroy(RefcBinary *binary) {
    Table *t = (Table *)binary->bytes;
    int64_t budget = INT64_MAX;
    table_clear_some(t, &budget); /* what was detached from another one, and whoever emptied it has ended */
    t->free_node.run = free_structure;
    thread_progress_later(&t->free_node);
    return false;
}

Table *table_make(const TableOptions *options) {
    unsigned slots = options->write_concurrency != am_false || options->read_concurrency ? LOCK_SLOTS : 1;
    size_t size = sizeof(Table) + (slots == 1 ? 0 : LOCK_ROOM);
    RefcBinary *binary = refc_magic_create(size, table_destroy);
    reference_new_magic_numbers(binary->magic_numbers);
    Table *t = (Table *)binary->bytes;
    memset(t, 0, size);
    t->binary = binary;
    t->type = options->type;
    t->keypos = options->keypos;
    t->protection = options->protection;
    t->name = options->name;
    t->named = options->named;
    t->compressed = options->compressed;
    t->read_concurrency = options->read_concurrency;
    t->decentralized_counters = options->decentralized_counters;
    t->write_concurrency = options->write_concurrency;
    t->shares_writes = options->write_concurrency != am_false;
    bool counts_apart = t->shares_writes && (!table_is_tree(t) || options->decentralized_counters);
    stripes_create(t, counts_apart ? stripes_wanted(options) : 1);
    table_lock_init(&t->lock, slots, t + 1);
    if (table_is_tree(t))
        catree_init(t);
    else
        hash_init(t);
    t->heir = HEIR_NONE;
    t->all.table = t;
    mutex_init(&t->growing, LOCK_ETS_GROW);
    mutex_init(&t->counting, LOCK_ETS_COUNT);
    mutex_init(&t->fixing, LOCK_ETS_FIXATIONS);
    return t;
}

Table *table_detach(Table *t) {
    TableOptions options = {.type = t->type, .keypos = t->keypos, .name = t->name};
    options.write_concurrency = t->write_concurrency;
    options.stripes = t->stripe_count;
    options.decentralized_counters = t->decentralized_counters;
    Table *to = table_make(&options);
    for (unsigned i = 0; i < t->stripe_count; i++) {
        atomic_store(&to->stripes[i].objects, atomic_exchange(&t->stripes[i].objects, 0));
        atomic_store(&to->stripes[i].words, atomic_exchange(&t->stripes[i].words, 0));
    }
    if (table_is_tree(t)) {
        catree_swap(t, to);
        return to;
    }
    HashTable empty = to->hash;
    memcpy(to->hash.segment, t->hash.segment, sizeof empty.segment);
    memcpy(t->hash.segment, empty.segment, sizeof empty.segment);
    to->hash.mapped = t->hash.mapped;
    t->hash.mapped = empty.mapped;
    to->hash.generation = t->hash.generation;
    atomic_store(&to->hash.purge, atomic_load(&t->hash.purge)); /* deleted ones that count no more may be among them */
    atomic_store(&to->hash.bucket_count, atomic_load(&t->hash.bucket_count));
    atomic_store(&t->hash.bucket_count, t->hash.first_buckets);
    return to;
}

Term table_tid(Table *t, Area *area) {
    refc_binary_retain(t->binary);
    return magic_ref_make(area, t->binary->magic_numbers, t->binary);
}

/* Holding */

bool table_hold(Table *t, HoldKind kind, Hold *hold) { return hold_table(t, kind, hold); }
bool table_hold_key(Table *t, HoldKind kind, Term key, Hold *hold) { return hold_key(t, kind, key, hold); }
void table_let_go(Hold *hold) { hold_end(hold); }

int64_t table_memory_words(const Table *t) {
    size_t contents = table_is_tree(t) ? catree_memory_words(t) : hash_bucket_count(t);
    return (int64_t)(bytes_to_words(sizeof *t + stripes_bytes(t)) + contents);
}

size_t table_structure_words(void) { return bytes_to_words(sizeof(Table) + sizeof(Stripe)); }

/* One key */

/* The tree in which the key is, or would be. */
static Object **tree_of(const Hold *hold, Term key) {
    return likely(hold->root) ? hold->root : leaf_root(catree_leaf(hold->table, key));
}

void table_put(Hold *hold, Object *o) {
    Table *t = hold->table;
    if (table_is_tree(t))
        tree_put(t, tree_of(hold, table_key(t, o)), o);
    else
        hash_put(hold, o);
}

void table_put_plain(Hold *hold, Term tuple) {
    Table *t = hold->table;
    if (table_is_tree(t))
        tree_put_plain(t, tree_of(hold, tuple_elements(tuple)[t->keypos - 1]), tuple);
    else
        hash_put_plain(hold, tuple);
}

Object *table_first_object(Hold *hold, Term key) {
    if (table_is_tree(hold->table))
        return tree_find(hold->table, *tree_of(hold, key), key);
    return hash_find(hold->table, key, hold->hash);
}

Object *table_next_object(Hold *hold, Object *o) {
    Table *t = hold->table;
    if (t->type == TABLE_ORDERED_SET || t->type == TABLE_SET)
        return NULL;
    return hash_live_from(t, o->next, table_key(t, o), o->hash);
}

bool table_has(Hold *hold, Term key) { return table_first_object(hold, key) != NULL; }

size_t table_delete_key(Hold *hold, Term key) {
    if (!table_is_tree(hold->table))
        return hash_delete_key(hold, key);
    Object *o = tree_take(hold->table, tree_of(hold, key), key);
    if (!o)
        return 0;
    object_free(o);
    return 1;
}

void table_delete_object(Hold *hold, Term tuple) {
    Table *t = hold->table;
    if (!table_is_tree(t)) {
        hash_delete_object(hold, tuple);
        return;
    }
    Term key = tuple_elements(tuple)[t->keypos - 1];
    Object **root = tree_of(hold, key), *o = tree_find(t, *root, key);
    if (o && object_equals(o, tuple))
        object_free(tree_take(t, root, key));
}

void table_replace(Hold *hold, Object *old, Object *new) {
    if (table_is_tree(hold->table))
        tree_replace(hold->table, tree_of(hold, table_key(hold->table, old)), old, new);
    else
        hash_replace(hold, old, new);
}

#define UNITS_PER_OBJECT 50 /* of long work, beside the copy */

Term table_lookup(Hold *hold, Object *first, Area *area) {
    Term list = NIL;
    for (Object *o = first; o; o = table_next_object(hold, o)) {
        long_work_count(UNITS_PER_OBJECT);
        list = area_cons(area, object_copy(o, area), list);
    }
    return list;
}

bool table_clear_some(Table *t, int64_t *budget) {
    if (!t->stripes)
        return true;
    bool done = table_is_tree(t) ? catree_clear_some(t, budget) : hash_clear_some(t, budget);
    if (done)
        release_contents(t);
    return done;
}
