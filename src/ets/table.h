/*
 * Tables: what all four types have in common, and who locks what.
 *
 * A Table lies in the reference-counted binary behind its tid (a magic reference), so whoever holds a tid, or found the
 * table by name since its last quiescent point, may look at the structure and take its lock; whether it is still alive
 * is said by `deleted`, which is read under the table's lock, and set under it and the registry's. Contents and options
 * are under the table's lock as well:
 *
 *   without write_concurrency: reading shared, writing exclusive.
 *   with it (shares_writes): both shared; hash tables, the key's stripe shared or exclusive; ordered sets, the key's
 *   leaf (ets/catree.h). What concerns more than one key at once (inserting a list, deleting all, options) takes the
 *   lock exclusive and may ignore stripes and leaves.
 *
 * table_hold_key does the right one of these for one key. The number of buckets changes one at a time, under the stripe
 * that both affected buckets belong to and the `growing` mutex, and never while the table is fixed (ets/hash.h).
 *
 * Ownership, heirs and which name leads to which table are under the registry's lock (ets/tables.h), fixations under a
 * lock of each table; `owner` may be read without it, and `name`, which changes only while the table is held
 * exclusively, under the table's lock.
 * Source: ets(3).
 */
#ifndef VIV_ETS_TABLE_H
#define VIV_ETS_TABLE_H

#include "base/thread_progress.h"
#include "ets/lock.h"
#include "ets/object.h"
#include "process/process.h"
#include "sys/thread.h"
#include "term/refc_binary.h"

typedef enum { TABLE_SET, TABLE_BAG, TABLE_DUPLICATE_BAG, TABLE_ORDERED_SET } TableType;
typedef enum { TABLE_PRIVATE, TABLE_PROTECTED, TABLE_PUBLIC } TableProtection;

/* A process that may come to own a table. Its pid may be another's once it has ended, its number is nobody else's. */
typedef struct {
    Term pid; /* or am_none */
    uint64_t unique; /* Process.unique */
} Heir;
#define HEIR_NONE ((Heir){am_none, 0})

/* On a cache line of its own: the objects of one stripe of a hash table, counted under its lock; of a table without
 * write_concurrency, counted under the table's; or a share of those of an ordered set with write_concurrency: many
 * shares with decentralized_counters, each for a few threads and under its lock, else one, without. A share alone may
 * be negative. */
#define STRIPES 64
#define STRIPES_MAX 32768
typedef struct {
    _Alignas(CACHE_LINE) FairLock lock;
    struct HashNote *notes; /* ets/hash.c: where deleted objects are; under the stripe's lock, or the table's */
    _Atomic int64_t objects, words;
    _Atomic uint64_t moment; /* in which it counted last (ets/count.h), where there are several */
} Stripe;
_Static_assert(sizeof(Stripe) == CACHE_LINE, "and no more");
/* What a stripe had counted before its moment. */
typedef struct {
    _Atomic int64_t objects, words;
} Earlier;

#define SEGMENTS_MAX 40
typedef struct {
    _Atomic uint64_t bucket_count;
    uint64_t first_buckets;         /* a power of two, at least as many as stripes */
    uint64_t generation;            /* from 1; objects of earlier ones are deleted */
    Object **segment[SEGMENTS_MAX]; /* ets/segment.h */
    uint64_t mapped;                /* bits: which of them are pages of the system's */
    _Atomic bool purge;             /* there may be deleted objects to purge */
    bool sweeps;                    /* all buckets are to be purged, from `sweep` on: their number does not change */
    uint64_t sweep;
} HashTable;

/* ets/catree.c */
typedef struct TreeNode TreeNode;
typedef enum { TREE_ADAPTS, TREE_SPLITS, TREE_SHUFFLES } TreeHabit;
/* Where ets:slot/2 was last, in a table without write_concurrency: good as long as `changes` is the table's. */
typedef struct {
    struct Object *object; /* or NULL */
    uint64_t number, changes;
} SlotPlace;
typedef struct {
    _Atomic(TreeNode *) top;
    Mutex routes;
    _Atomic int64_t nodes; /* for the memory they take */
    _Atomic TreeHabit habit;
    SlotPlace slot;
} TreeTable;

typedef struct Table Table;
typedef struct Fixation Fixation;
/* In the list of all tables; `table` is NULL for the place of somebody who walks along it. */
typedef struct TableLink TableLink;
struct TableLink {
    TableLink *next, *previous;
    Table *table;
};
struct Table {
    ProgressNode free_node;
    RefcBinary *binary;
    TableType type;
    uint32_t keypos;
    Stripe *stripes; /* NULL: it is deleted, and all of it has gone but the structure */
    Earlier *earlier; /* of each stripe, behind them; NULL where there is one */
    unsigned stripe_count; /* 1: no stripes, or one counter */
    bool shares_writes;    /* writers of single keys hold the lock shared */
    TableLock lock;
    /* Processes that keep it fixed, and rounds of traversals: more than 0, and every key of a hash table keeps a place
     * (ets/hash.h). */
    _Atomic int64_t fixed;

    /* under the lock */
    uint64_t changes; /* how often it was held exclusively */
    _Atomic bool deleted;
    TableProtection protection;
    _Atomic Term name; /* read without the lock by who waits for it */
    bool named, compressed, read_concurrency, decentralized_counters;
    Term write_concurrency; /* am_true, am_false, am_auto, am_debug_hash_fixed_number_of_locks */
    HashTable hash;
    TreeTable tree; /* ordered_set */

    /* under the registry's lock */
    _Atomic Term owner;
    Heir heir;
    Object *heir_data; /* {Data} */
    TableLink all;
    Table *owner_next, **owner_place; /* what points to it in its owner's list */

    Mutex growing; /* hash tables: for the number of buckets; ordered sets: for tree.slot */
    Mutex counting; /* for who asks how many objects there are, and begins a moment for that */
    _Atomic uint64_t moment;

    /* under `fixing` */
    Mutex fixing;
    Fixation *fixations;
    int64_t fixers;
    int64_t fixed_time; /* monotonic_time() at the first of the fixations there are now */
};

typedef struct {
    Term name;
    bool named, compressed, read_concurrency, decentralized_counters;
    bool counters_given; /* the last was asked for, or against */
    TableType type;
    TableProtection protection;
    uint32_t keypos;
    Term write_concurrency;
    unsigned stripes; /* of a hash table, where that was said: a power of two from STRIPES to STRIPES_MAX; or 0 */
    Heir heir;
    Term heir_data;
} TableOptions;

/* A new table that nobody owns or knows (ets/tables.h), with one reference, the caller's. */
Table *table_make(const TableOptions *options);
RefcDestructor table_destroy;
/* A term that refers to the table. The caller has one already, or holds the table, or has fixed it, or is under the
 * registry's lock with the table in it: else the last reference might be gone. */
Term table_tid(Table *t, Area *area);

typedef enum { HOLD_READ, HOLD_WRITE, HOLD_EXCLUSIVE } HoldKind;
typedef struct {
    Table *table;
    HoldKind kind;
    Stripe *stripe; /* held too, when there are stripes and a key was given */
    TreeNode *leaf; /* the key's leaf, ordered sets: held too when leaves are; or NULL */
    Object **root; /* the tree where the key is, when that is known; or NULL */
    Term key; /* of the leaf, as the caller gave it */
    uint32_t hash; /* of the key, hash tables */
} Hold;
/* False: the table has been deleted. Without a key, HOLD_READ and HOLD_WRITE of a table with stripes hold no stripe. */
bool table_hold(Table *t, HoldKind kind, Hold *hold);
bool table_hold_key(Table *t, HoldKind kind, Term key, Hold *hold);
/* Lets a hash table grow or shrink by a step where that is due. */
void table_let_go(Hold *hold);
/* May a pid do this? */
static inline bool table_allows(const Table *t, Term pid, bool write) {
    if (t->protection == TABLE_PUBLIC || (t->protection == TABLE_PROTECTED && !write))
        return true;
    return atomic_load_explicit(&((Table *)t)->owner, memory_order_relaxed) == pid;
}

static inline Term table_key(const Table *t, const Object *o) { return object_key(o, t->keypos); }
/* A new object as this table keeps them. */
static inline Object *table_object(const Table *t, Term tuple) {
    return unlikely(t->compressed) ? object_create_packed(tuple, t->keypos) : object_create(tuple);
}
static inline bool table_is_tree(const Table *t) { return t->type == TABLE_ORDERED_SET; }
/* Of the table, beside its objects. */
int64_t table_memory_words(const Table *t);
/* Of a table with one counter, beside objects and what leads to them. */
size_t table_structure_words(void);
/* The stripe (or the only counter) that an object counts in. */
static inline Stripe *table_stripe(const Table *t, uint32_t hash) { return &t->stripes[hash & (t->stripe_count - 1)]; }

/* Operations on one key: the caller holds it, `hold` says how. Objects go in as the table's own, and come out as its
 * own. */
void table_put(Hold *hold, Object *o); /* bags: an identical object is dropped */
/* The same with a copy of a plain tuple (ets/object.h), for which no memory is taken where one as large is there. */
void table_put_plain(Hold *hold, Term tuple);
bool table_has(Hold *hold, Term key);
/* The first, and the others after it, NULL at the end. For all types. */
Object *table_first_object(Hold *hold, Term key);
Object *table_next_object(Hold *hold, Object *o);
size_t table_delete_key(Hold *hold, Term key);
void table_delete_object(Hold *hold, Term tuple);
/* `new` stands where `old` stood, which is freed. Same key, no bags. */
void table_replace(Hold *hold, Object *old, Object *new);
/* Copies of all objects of a key as a list, oldest first; `first`: table_first_object(hold, key). */
Term table_lookup(Hold *hold, Object *first, Area *area);

/* How a search ended, or that others are to get in before it goes on. */
typedef enum { NEXT_FOUND, NEXT_END, NEXT_ROUND, NEXT_NO_SUCH_KEY } NextStep;

/* All objects go over to a table that nobody else knows, one reference for the caller; held exclusively, not fixed. */
Table *table_detach(Table *t);
/* Takes all objects out, in rounds: call until it returns true; then there is nothing left but the structure, however
 * long somebody has a tid. The table is deleted, or nobody else knows it. `budget` is lowered by the objects freed. */
bool table_clear_some(Table *t, int64_t *budget);

#endif
