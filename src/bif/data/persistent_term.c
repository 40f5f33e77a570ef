/*
 * persistent_term: terms that all processes read without copying. Source: persistent_term(3).
 *
 * All entries are one list, in the order of their hashes' bits reversed, and buckets lead into it (O. Shalev and
 * N. Shavit, Split-Ordered Lists, JACM 53, 2006): bucket i of 2^k is a node of the list that comes before all entries
 * whose hash ends with the k bits of i. Twice as many buckets are more nodes in the same list: no entry moves, and
 * nobody waits until all of them are there. Where one is missing yet, its parent (i without the highest bit) comes
 * before the same entries.
 *
 * Readers take no lock: an entry never changes once it is published, but for its link, and goes through thread
 * progress. One that was taken out leads on still. Writers look for the key as readers do, and have a mutex for as long
 * as it takes to see that what they found is there still: no term is looked at meanwhile.
 * An entry takes the place of the one before with the same key by one store: a reader finds one or the other, once.
 *
 * Key and value of an entry are literals of its own area: `get` returns the value as it is. The entry is the area's
 * head (heap/literal.h). When it is replaced or erased it is released as areas of purged code are
 * (replace/literal_release.h): every process that refers to it copies what it refers to, and then the memory is free.
 * So a change costs a look at the heap of each process that has run since the entry was made, where the manual warns of
 * all, unless key and value were immediate.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "base/thread_progress.h"
#include "bif/data/persistent_term.h"
#include "bif_table.h"
#include "heap/literal.h"
#include "heap/sharing.h"
#include "replace/literal_release.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/hash.h"
#include "term/integer.h"
#include "term/map.h"

/* Of a bucket, or of an entry. */
typedef struct Node Node;
struct Node {
    _Atomic(Node *) next;
    _Atomic uint64_t order; /* 0: a bucket that is not in the list yet; never changes afterwards */
};

typedef struct {
    LiteralArea area; /* of key and value; must be first */
    Node node;
    ProgressNode progress;
    size_t bytes;
    Term key, value;
} Entry;

/* Buckets come in segments, each as large as all before it. */
#define FIRST_BITS 8
#define FIRST_BUCKETS (1u << FIRST_BITS)
#define SEGMENTS (32 - FIRST_BITS)

typedef struct {
    ProgressNode progress;
    _Atomic uint32_t buckets; /* a power of two */
    _Atomic(Node *) segment[SEGMENTS];
    /* Under the lock. */
    uint32_t in_list; /* buckets below are in the list */
    size_t count, bytes;
    LiteralAreas areas; /* when all are erased */
} Table;

static Mutex lock = MUTEX_INITIALIZER(LOCK_PERSISTENT_TERM);
static _Atomic(Table *) table; /* NULL before the first term */

/* Among those of equal hashes a bucket is first. */
enum { BUCKET = 1, ENTRY = 3, ORDER_SHIFT = 2 };
static uint64_t order_of(uint32_t hash, unsigned kind) {
    return (uint64_t)__builtin_bitreverse32(hash) << ORDER_SHIFT | kind;
}
static uint64_t node_order(const Node *n) { return atomic_load_explicit(&n->order, memory_order_relaxed); }
static bool is_entry(const Node *n) { return (node_order(n) & ENTRY) == ENTRY; }
static const Entry *entry_of(const Node *n) { return container_of(n, Entry, node); }
static Node *next_of(const Node *n) { return atomic_load_explicit(&n->next, memory_order_acquire); }

static Node *bucket_at(const Table *t, uint32_t i) {
    unsigned bits = i < FIRST_BUCKETS ? 0 : 32 - (unsigned)__builtin_clz(i) - FIRST_BITS;
    Node *segment = atomic_load_explicit(&t->segment[bits], memory_order_acquire);
    return segment + (bits == 0 ? i : i - (FIRST_BUCKETS << (bits - 1)));
}

static uint32_t parent_of(uint32_t i) { return i ^ (uint32_t)1 << (31 - __builtin_clz(i)); }

/* A node of the list before all entries of that hash, near them. */
static Node *begin_at(const Table *t, uint32_t hash) {
    uint32_t i = hash & (atomic_load_explicit(&t->buckets, memory_order_acquire) - 1);
    for (;;) {
        Node *bucket = bucket_at(t, i);
        if (likely(atomic_load_explicit(&bucket->order, memory_order_acquire) != 0))
            return bucket;
        i = parent_of(i);
    }
}

static noinline const Entry *find_after(const Node *n, Term key, uint32_t hash) {
    uint64_t order = order_of(hash, ENTRY);
    for (; n != NULL && node_order(n) <= order; n = next_of(n))
        if (node_order(n) == order && term_identical(entry_of(n)->key, key))
            return entry_of(n);
    return NULL;
}

static inline const Entry *find(const Table *t, Term key, uint32_t hash) {
    if (t == NULL)
        return NULL;
    const Node *n = next_of(begin_at(t, hash));
    if (n != NULL && is_entry(n) && entry_of(n)->key == key) /* nearly always */
        return entry_of(n);
    return find_after(n, key, hash);
}

/* What leads to the first node that does not come before that order. */
static _Atomic(Node *) *place_before(Table *t, uint32_t hash, uint64_t order) {
    _Atomic(Node *) *place = &begin_at(t, hash)->next;
    for (Node *n; (n = next_of(container_of(place, Node, next))) != NULL && node_order(n) < order;)
        place = &n->next;
    return place;
}

/* What a writer finds before it takes the lock: the key's entry, and the first node of that hash, or of a later one.
 * They stay where they are as long as its thread is online. */
typedef struct {
    const Node *first;
    Entry *entry;
} Seen;

static Seen look(Term key, uint32_t hash) {
    Table *t = atomic_load(&table);
    if (t == NULL)
        return (Seen){0};
    const Node *first = atomic_load(place_before(t, hash, order_of(hash, ENTRY)));
    return (Seen){first, (Entry *)find_after(first, key, hash)};
}

/* --- writing; under the lock ----------------------------------------------------------------------------------- */

static void set_next(_Atomic(Node *) *place, Node *n) { atomic_store_explicit(place, n, memory_order_release); }

/* What leads to the entry that was seen, or to where it belongs if there was none. NULL: somebody has changed that.
 * New entries come first among those of one hash: with the same first one as before there is none that was not looked
 * at. */
static _Atomic(Node *) *place_of(Table *t, uint32_t hash, const Seen *seen) {
    uint64_t order = order_of(hash, ENTRY);
    _Atomic(Node *) *place = place_before(t, hash, order);
    Node *n = atomic_load(place);
    if (seen->entry == NULL)
        return n == NULL || node_order(n) != order || n == seen->first ? place : NULL;
    for (; n != NULL && node_order(n) == order; n = atomic_load(place)) {
        if (n == &seen->entry->node)
            return place;
        place = &n->next;
    }
    return NULL;
}

/* Who finds it may begin there: what follows is said before. */
static void put_bucket(Table *t, uint32_t i) {
    Node *bucket = bucket_at(t, i);
    uint64_t order = order_of(i, BUCKET);
    _Atomic(Node *) *place = place_before(t, i, order);
    atomic_store_explicit(&bucket->next, atomic_load(place), memory_order_relaxed);
    atomic_store_explicit(&bucket->order, order, memory_order_release);
    race_window("a bucket is there, and not in the list");
    set_next(place, bucket);
}

/* With all of the first buckets: what there are few of is found at once. */
static Table *table_create(void) {
    Table *t = mem_calloc(ALLOC_PERSISTENT, sizeof *t);
    Node *first = mem_calloc(ALLOC_PERSISTENT, FIRST_BUCKETS * sizeof *first);
    atomic_init(&first->order, order_of(0, BUCKET));
    atomic_init(&t->segment[0], first);
    atomic_init(&t->buckets, FIRST_BUCKETS);
    t->bytes = sizeof *t + FIRST_BUCKETS * sizeof *first;
    for (t->in_list = 1; t->in_list < FIRST_BUCKETS; t->in_list++)
        put_bucket(t, t->in_list);
    atomic_store_explicit(&table, t, memory_order_release);
    return t;
}

static void double_buckets(Table *t) {
    uint32_t buckets = atomic_load(&t->buckets);
    unsigned segment = (unsigned)__builtin_ctz(buckets) - FIRST_BITS + 1;
    if (segment == SEGMENTS)
        return;
    atomic_store(&t->segment[segment], mem_calloc(ALLOC_PERSISTENT, buckets * sizeof(Node)));
    t->bytes += buckets * sizeof(Node);
    atomic_store(&t->buckets, 2 * buckets);
}

/* Two buckets for each entry: all are in the list before there must be more. */
static void grow(Table *t) {
    if (t->count > atomic_load(&t->buckets))
        double_buckets(t);
    for (int i = 0; i < 2 && t->in_list < atomic_load(&t->buckets); i++)
        put_bucket(t, t->in_list++);
}

static void release_entry(ProgressNode *node) { literal_release(&container_of(node, Entry, progress)->area); }

/* Who reads may be at the entry still, and compare its key: thread progress is in between. */
static void retire(Table *t, Entry *e) {
    t->bytes -= e->bytes;
    t->count--;
    e->progress.run = release_entry;
    thread_progress_later(&e->progress);
}

static void put(Table *t, Entry *e, _Atomic(Node *) *place, Entry *old) {
    Node *next = old != NULL ? next_of(&old->node) : atomic_load(place);
    atomic_init(&e->node.next, next);
    set_next(place, &e->node);
    t->count++;
    t->bytes += e->bytes;
    if (old != NULL)
        retire(t, old);
    grow(t);
}

static Entry *create(Term key, Term value, uint32_t hash) {
    Sharing of_key, of_value;
    sharing_init(&of_key, true);
    sharing_init(&of_value, true);
    size_t words = sharing_measure(&of_key, key) + sharing_measure(&of_value, value);
    Entry *e = (Entry *)literal_area_create_in(sizeof *e, words);
    atomic_init(&e->node.order, order_of(hash, ENTRY));
    e->bytes = sizeof *e + literal_area_bytes(&e->area);
    e->key = sharing_copy(&of_key, key, &e->area.area);
    e->value = sharing_copy(&of_value, value, &e->area.area);
    sharing_release(&of_key);
    sharing_release(&of_value);
    return e;
}

static Entry *create_openly(Term key, Term value, uint32_t hash) {
    LONG_WORK_OPEN;
    return create(key, value, hash);
}

/* In the place of what was seen. False: that is not there any more, or something else is. */
static bool put_over(Entry *e, uint32_t hash, const Seen *seen) {
    race_window("a key was looked up, its place is not taken yet");
    mutex_lock(&lock);
    Table *t = atomic_load(&table);
    if (t == NULL)
        t = table_create();
    _Atomic(Node *) *place = place_of(t, hash, seen);
    if (place != NULL)
        put(t, e, place, seen->entry);
    mutex_unlock(&lock);
    return place != NULL;
}

/* Is the key not to be given the value? *is_same: it has it. */
static bool stays(const Seen *seen, Term value, bool may_replace, bool *is_same) {
    *is_same = seen->entry != NULL && term_identical(seen->entry->value, value);
    return *is_same || (seen->entry != NULL && !may_replace);
}

/* The copy is made without the lock, and by a thread that is offline. True: the key has that value now. */
static bool put_value(Term key, Term value, bool may_replace) {
    uint32_t hash = term_hash(key);
    bool is_same;
    Seen seen = look(key, hash);
    if (stays(&seen, value, may_replace, &is_same))
        return is_same;
    Entry *e = create_openly(key, value, hash);
    race_window("a term is copied, its key was looked up before");
    do {
        seen = look(key, hash);
        if (stays(&seen, value, may_replace, &is_same)) {
            literal_area_free(&e->area);
            return is_same;
        }
    } while (!put_over(e, hash, &seen));
    return true;
}

Term persistent_term_put(Process *p, const Term *a) {
    put_value(a[0], a[1], true);
    return am_ok;
}

/* OTP 28: badarg when the key has another value already. */
Term persistent_term_put_new(Process *p, const Term *a) {
    return put_value(a[0], a[1], false) ? am_ok : fail_badarg(p);
}

/* False: it is not there any more. */
static bool erase(uint32_t hash, const Seen *seen) {
    race_window("a key was looked up, its entry is not erased yet");
    mutex_lock(&lock);
    Table *t = atomic_load(&table);
    _Atomic(Node *) *place = t != NULL ? place_of(t, hash, seen) : NULL;
    if (place != NULL) {
        set_next(place, next_of(&seen->entry->node));
        retire(t, seen->entry);
    }
    mutex_unlock(&lock);
    return place != NULL;
}

Term persistent_term_erase(Process *p, const Term *a) {
    uint32_t hash = term_hash(a[0]);
    Seen seen;
    do {
        seen = look(a[0], hash);
        if (seen.entry == NULL)
            return am_false;
    } while (!erase(hash, &seen));
    return am_true;
}

static void release_table(ProgressNode *node) {
    Table *t = container_of(node, Table, progress);
    for (unsigned i = 0; i < SEGMENTS; i++)
        mem_free(ALLOC_PERSISTENT, atomic_load(&t->segment[i]));
    literal_release_all(&t->areas);
    mem_free(ALLOC_PERSISTENT, t);
}

#define UNITS_EACH 20 /* of long work */

/* All at once; what they held goes as with any other that is erased. Nobody changes the table that was there any more:
 * its entries are this process's to gather, while others may be reading. */
Term erts_internal_erase_persistent_terms_0(Process *p, const Term *a) {
    mutex_lock(&lock);
    Table *t = atomic_exchange(&table, NULL);
    mutex_unlock(&lock);
    if (t == NULL)
        return am_true;
    LONG_WORK_OPEN;
    for (Node *n = bucket_at(t, 0); n != NULL; n = next_of(n)) {
        long_work_count(UNITS_EACH);
        if (is_entry(n))
            literal_areas_add(&t->areas, &container_of(n, Entry, node)->area);
    }
    t->progress.run = release_table;
    thread_progress_later(&t->progress);
    return am_true;
}

/* --- reading --------------------------------------------------------------------------------------------------- */

Term persistent_term_get_1(Process *p, const Term *a) {
    const Entry *e = find(atomic_load_explicit(&table, memory_order_acquire), a[0], term_hash(a[0]));
    return e ? e->value : fail_badarg(p);
}

Term persistent_term_get_2(Process *p, const Term *a) {
    const Entry *e = find(atomic_load_explicit(&table, memory_order_acquire), a[0], term_hash(a[0]));
    return e ? e->value : a[1];
}

/* The thread stays online, and the entries where they are. */
Term persistent_term_get_0(Process *p, const Term *a) {
    Area *area = process_area(p);
    Term list = NIL;
    const Table *t = atomic_load_explicit(&table, memory_order_acquire);
    for (const Node *n = t != NULL ? bucket_at(t, 0) : NULL; n != NULL; n = next_of(n)) {
        long_work_count(UNITS_EACH);
        if (is_entry(n))
            list = area_cons(area, area_tuple2(area, entry_of(n)->key, entry_of(n)->value), list);
    }
    return list;
}

size_t persistent_term_table_size(void) {
    const Table *t = atomic_load_explicit(&table, memory_order_acquire);
    return t != NULL ? atomic_load(&t->buckets) : 0;
}

Term persistent_term_info(Process *p, const Term *a) {
    Area *area = process_area(p);
    mutex_lock(&lock);
    const Table *t = atomic_load(&table);
    size_t n = t != NULL ? t->count : 0, bytes = t != NULL ? t->bytes : 0;
    mutex_unlock(&lock);
    Term pairs[] = {am_count, small_make((SWord)n), am_memory, integer_from_uint64(area, bytes)};
    return map_from_pairs(area, pairs, 2);
}

void persistent_term_each(void (*each)(const Term *, const Term *, const LiteralArea *, void *), void *data) {
    const Table *t = atomic_load_explicit(&table, memory_order_acquire);
    for (const Node *n = t != NULL ? bucket_at(t, 0) : NULL; n != NULL; n = next_of(n))
        if (is_entry(n))
            each(&entry_of(n)->key, &entry_of(n)->value, &entry_of(n)->area, data);
}
