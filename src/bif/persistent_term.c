/*
 * persistent_term: terms that all processes read without copying. Source: persistent_term(3).
 *
 * A hash table of entries. Readers take no lock: entries and the array of buckets are immutable once published,
 * except for links, and are freed through thread progress. Writers have a mutex. The table grows with its count.
 *
 * The first value of a key is a literal: `get` returns it as it is. When such a value is replaced or erased, some
 * process may still hold it, and so may a message, a timer, ...: nothing could tell us when the last reference is
 * gone. So its memory is kept, and the loss is bounded instead: the next values of a key that has been replaced, and
 * all new values once KEPT_MAX bytes have been kept in that way, are *changeable*: `get` copies them to the caller's
 * heap, and they are freed when they are replaced. Terms that are set once, as the manual recommends, cost nothing at
 * a read; terms that change often cost a copy instead of a scan of all processes at every change.
 */
#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "bif_table.h"
#include "heap/copy.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "process/process.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/hash.h"
#include "term/integer.h"
#include "term/map.h"

#define KEPT_MAX ((size_t)32 << 20)
#define FIRST_BUCKETS 256

typedef struct Entry Entry;
struct Entry {
    ProgressNode progress;
    _Atomic(Entry *) next;
    uint32_t hash;
    bool changeable;
    Fragment *data; /* what a changeable entry's terms point into */
    size_t bytes;
    Term key, value;
};
typedef struct {
    ProgressNode progress;
    uint32_t buckets; /* a power of two */
    _Atomic(Entry *) bucket[];
} Table;

static Mutex lock = MUTEX_INITIALIZER(LOCK_PERSISTENT_TERM);
static _Atomic(Table *) table;
static size_t count, bytes_in_use, bytes_kept;

static Entry *find(const Table *t, Term key, uint32_t hash) {
    if (!t)
        return NULL;
    Entry *e = atomic_load_explicit(&t->bucket[hash & (t->buckets - 1)], memory_order_acquire);
    while (e && !(e->hash == hash && term_identical(e->key, key)))
        e = atomic_load_explicit(&e->next, memory_order_acquire);
    return e;
}

static Term value_for(Process *p, const Entry *e) {
    return e->changeable ? term_copy(e->value, process_area(p)) : e->value;
}

/* Writing; under the lock */

static void free_entry(ProgressNode *node) {
    Entry *e = container_of(node, Entry, progress);
    for (Fragment *next, *f = e->data; f; f = next) {
        next = f->next;
        f->next = NULL;
        fragment_free(f);
    }
    mem_free(ALLOC_PERSISTENT, e);
}

/* The bytes of a literal stay, whoever may hold them; the entry itself goes. */
static void retire(Entry *e) {
    bytes_in_use -= e->bytes;
    count--;
    if (!e->changeable)
        bytes_kept += e->bytes;
    e->progress.run = free_entry;
    thread_progress_later(&e->progress);
}

static void free_table(ProgressNode *node) { mem_free(ALLOC_PERSISTENT, container_of(node, Table, progress)); }

static Entry *entry_copy_links(const Entry *e) {
    Entry *copy = mem_alloc(ALLOC_PERSISTENT, sizeof *copy);
    copy->hash = e->hash;
    copy->changeable = e->changeable;
    copy->data = e->data;
    copy->bytes = e->bytes;
    copy->key = e->key;
    copy->value = e->value;
    return copy;
}

static void free_shell(ProgressNode *node) { mem_free(ALLOC_PERSISTENT, container_of(node, Entry, progress)); }

static void push(Table *t, Entry *e) {
    _Atomic(Entry *) *bucket = &t->bucket[e->hash & (t->buckets - 1)];
    atomic_init(&e->next, atomic_load_explicit(bucket, memory_order_relaxed));
    atomic_store_explicit(bucket, e, memory_order_release);
}

/* Readers may be in the old chains: the entries are linked anew as copies, the old ones go with the old array. */
static Table *grow(Table *old) {
    uint32_t buckets = old ? 2 * old->buckets : FIRST_BUCKETS;
    Table *t = mem_calloc(ALLOC_PERSISTENT, sizeof *t + buckets * sizeof t->bucket[0]);
    t->buckets = buckets;
    for (uint32_t i = 0; old && i < old->buckets; i++) {
        for (Entry *next, *e = atomic_load(&old->bucket[i]); e; e = next) {
            next = atomic_load(&e->next);
            push(t, entry_copy_links(e));
            e->progress.run = free_shell;
            thread_progress_later(&e->progress);
        }
    }
    atomic_store_explicit(&table, t, memory_order_release);
    if (old) {
        old->progress.run = free_table;
        thread_progress_later(&old->progress);
    }
    return t;
}

static Entry *create(Term key, Term value, uint32_t hash, bool changeable) {
    Entry *e = mem_calloc(ALLOC_PERSISTENT, sizeof *e);
    e->hash = hash;
    e->changeable = changeable;
    size_t words = term_flat_size_literals(key) + term_flat_size_literals(value);
    e->bytes = sizeof *e + words * WORD_BYTES;
    if (changeable) {
        FragmentArea fa;
        fragment_area_init(&fa, words);
        e->key = term_copy_literals(key, &fa.area);
        e->value = term_copy_literals(value, &fa.area);
        e->data = fragment_area_finish(&fa);
    } else {
        LiteralArea *la = literal_area_create(words ? words : 1);
        e->key = term_copy_literals(key, &la->area);
        e->value = term_copy_literals(value, &la->area);
    }
    return e;
}

static bool unlink_entry(Table *t, Entry *e) {
    _Atomic(Entry *) *place = &t->bucket[e->hash & (t->buckets - 1)];
    while (atomic_load(place) != e)
        place = &atomic_load(place)->next;
    atomic_store_explicit(place, atomic_load(&e->next), memory_order_release);
    retire(e);
    return true;
}

static void put(Term key, Term value, uint32_t hash, Entry *old) {
    Table *t = atomic_load(&table);
    if (!t || count > t->buckets) {
        t = grow(t);
        old = find(t, key, hash);
    }
    Entry *e = create(key, value, hash, old || bytes_kept >= KEPT_MAX);
    /* In front of the old one, and only then the old one goes: a reader finds one or the other. */
    push(t, e);
    count++;
    bytes_in_use += e->bytes;
    if (old)
        unlink_entry(t, old);
}

Term persistent_term_put(Process *p, const Term *a) {
    uint32_t hash = term_hash(a[0]);
    mutex_lock(&lock);
    Entry *old = find(atomic_load(&table), a[0], hash);
    if (!old || !term_identical(old->value, a[1]))
        put(a[0], a[1], hash, old);
    mutex_unlock(&lock);
    return am_ok;
}

/* OTP 27: badarg when the key has another value already. */
Term persistent_term_put_new(Process *p, const Term *a) {
    uint32_t hash = term_hash(a[0]);
    mutex_lock(&lock);
    Entry *old = find(atomic_load(&table), a[0], hash);
    bool good = !old || term_identical(old->value, a[1]);
    if (!old)
        put(a[0], a[1], hash, NULL);
    mutex_unlock(&lock);
    return good ? am_ok : fail_badarg(p);
}

Term persistent_term_erase(Process *p, const Term *a) {
    mutex_lock(&lock);
    Table *t = atomic_load(&table);
    Entry *e = find(t, a[0], term_hash(a[0]));
    if (e)
        unlink_entry(t, e);
    mutex_unlock(&lock);
    return bool_term(e != NULL);
}

/* Reading */

Term persistent_term_get_1(Process *p, const Term *a) {
    const Entry *e = find(atomic_load_explicit(&table, memory_order_acquire), a[0], term_hash(a[0]));
    return e ? value_for(p, e) : fail_badarg(p);
}

Term persistent_term_get_2(Process *p, const Term *a) {
    const Entry *e = find(atomic_load_explicit(&table, memory_order_acquire), a[0], term_hash(a[0]));
    return e ? value_for(p, e) : a[1];
}

Term persistent_term_get_0(Process *p, const Term *a) {
    Area *area = process_area(p);
    Term list = NIL;
    mutex_lock(&lock);
    const Table *t = atomic_load(&table);
    for (uint32_t i = 0; t && i < t->buckets; i++)
        for (Entry *e = atomic_load(&((Table *)t)->bucket[i]); e; e = atomic_load(&e->next)) {
            Term key = e->changeable ? term_copy(e->key, area) : e->key;
            list = area_cons(area, area_tuple2(area, key, value_for(p, e)), list);
        }
    mutex_unlock(&lock);
    return list;
}

Term persistent_term_info(Process *p, const Term *a) {
    Area *area = process_area(p);
    mutex_lock(&lock);
    size_t n = count, bytes = bytes_in_use + bytes_kept;
    mutex_unlock(&lock);
    Term pairs[] = {am_count, small_make((SWord)n), am_memory, integer_from_uint64(area, bytes)};
    return map_from_pairs(area, pairs, 2);
}
