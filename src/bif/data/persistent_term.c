/*
 * persistent_term: terms that all processes read without copying. Source: persistent_term(3).
 *
 * A hash table of entries. Readers take no lock: entries and the array of buckets are immutable once published,
 * except for links, and are freed through thread progress. Writers have a mutex. The table grows with its count.
 *
 * Key and value of an entry are literals of their own area: `get` returns the value as it is. When it is replaced or
 * erased, the entry goes, and its area is released as those of purged code are (replace/literal_release.h): every
 * process that refers to it copies what it refers to, and then the memory is free. So a change costs each process a
 * look at its heap, as the manual warns.
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

#define FIRST_BUCKETS 256

typedef struct Entry Entry;
struct Entry {
    ProgressNode progress;
    _Atomic(Entry *) next;
    uint32_t hash;
    LiteralArea *area; /* of key and value */
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
static size_t count, bytes_in_use;

static Entry *find(const Table *t, Term key, uint32_t hash) {
    if (!t)
        return NULL;
    Entry *e = atomic_load_explicit(&t->bucket[hash & (t->buckets - 1)], memory_order_acquire);
    while (e && !(e->hash == hash && term_identical(e->key, key)))
        e = atomic_load_explicit(&e->next, memory_order_acquire);
    return e;
}

/* Writing; under the lock */

/* Who reads the chain may be at the entry still, and compare its key: thread progress is in between. */
static void release_area(ProgressNode *node) {
    Entry *e = container_of(node, Entry, progress);
    literal_release(e->area);
    mem_free(ALLOC_PERSISTENT, e);
}

static void retire(Entry *e) {
    bytes_in_use -= e->bytes;
    count--;
    e->progress.run = release_area;
    thread_progress_later(&e->progress);
}

static void free_table(ProgressNode *node) { mem_free(ALLOC_PERSISTENT, container_of(node, Table, progress)); }

static Entry *entry_copy_links(const Entry *e) {
    Entry *copy = mem_alloc(ALLOC_PERSISTENT, sizeof *copy);
    copy->hash = e->hash;
    copy->area = e->area;
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

static Entry *create(Term key, Term value, uint32_t hash) {
    Entry *e = mem_calloc(ALLOC_PERSISTENT, sizeof *e);
    e->hash = hash;
    size_t words = term_shared_size(key, true) + term_shared_size(value, true);
    e->bytes = sizeof *e + words * WORD_BYTES;
    e->area = literal_area_create(words > 0 ? words : 1);
    e->key = term_copy_shared(key, true, &e->area->area, NULL);
    e->value = term_copy_shared(value, true, &e->area->area, NULL);
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

static void put(Entry *e, Entry *old) {
    Table *t = atomic_load(&table);
    if (!t || count > t->buckets) {
        t = grow(t);
        old = find(t, e->key, e->hash);
    }
    /* In front of the old one, and only then the old one goes: a reader finds one or the other. */
    push(t, e);
    count++;
    bytes_in_use += e->bytes;
    if (old)
        unlink_entry(t, old);
}

static Entry *create_openly(Term key, Term value, uint32_t hash) {
    LONG_WORK_OPEN;
    return create(key, value, hash);
}

/* The copy is made without the lock, so others do not wait for it. True: the key has that value now. */
static bool put_value(Term key, Term value, bool may_replace) {
    uint32_t hash = term_hash(key);
    Entry *seen = find(atomic_load(&table), key, hash);
    if (seen && (!may_replace || term_identical(seen->value, value)))
        return term_identical(seen->value, value);
    Entry *e = create_openly(key, value, hash);
    race_window("a term is copied, its key was looked up before");
    mutex_lock(&lock);
    Entry *old = find(atomic_load(&table), key, hash);
    bool is_same = old && term_identical(old->value, value);
    bool puts = !old || (may_replace && !is_same);
    if (puts)
        put(e, old);
    mutex_unlock(&lock);
    if (!puts) {
        literal_area_free(e->area);
        mem_free(ALLOC_PERSISTENT, e);
    }
    return puts || is_same;
}

Term persistent_term_put(Process *p, const Term *a) {
    put_value(a[0], a[1], true);
    return am_ok;
}

/* OTP 28: badarg when the key has another value already. */
Term persistent_term_put_new(Process *p, const Term *a) {
    return put_value(a[0], a[1], false) ? am_ok : fail_badarg(p);
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

/* All at once; what they held goes as with any other that is erased. */
Term erts_internal_erase_persistent_terms_0(Process *p, const Term *a) {
    mutex_lock(&lock);
    Table *t = atomic_exchange(&table, NULL);
    count = bytes_in_use = 0;
    mutex_unlock(&lock);
    for (uint32_t i = 0; t && i < t->buckets; i++)
        for (Entry *next, *e = atomic_load(&t->bucket[i]); e; e = next) {
            next = atomic_load(&e->next);
            e->progress.run = release_area;
            thread_progress_later(&e->progress);
            process_bump(p, 1);
        }
    if (t) {
        t->progress.run = free_table;
        thread_progress_later(&t->progress);
    }
    return am_true;
}

/* Reading */

Term persistent_term_get_1(Process *p, const Term *a) {
    const Entry *e = find(atomic_load_explicit(&table, memory_order_acquire), a[0], term_hash(a[0]));
    return e ? e->value : fail_badarg(p);
}

Term persistent_term_get_2(Process *p, const Term *a) {
    const Entry *e = find(atomic_load_explicit(&table, memory_order_acquire), a[0], term_hash(a[0]));
    return e ? e->value : a[1];
}

Term persistent_term_get_0(Process *p, const Term *a) {
    Area *area = process_area(p);
    Term list = NIL;
    mutex_lock(&lock);
    const Table *t = atomic_load(&table);
    for (uint32_t i = 0; t && i < t->buckets; i++)
        for (Entry *e = atomic_load(&((Table *)t)->bucket[i]); e; e = atomic_load(&e->next))
            list = area_cons(area, area_tuple2(area, e->key, e->value), list);
    mutex_unlock(&lock);
    return list;
}

size_t persistent_term_table_size(void) {
    const Table *t = atomic_load_explicit(&table, memory_order_acquire);
    return t != NULL ? t->buckets : 0;
}

Term persistent_term_info(Process *p, const Term *a) {
    Area *area = process_area(p);
    mutex_lock(&lock);
    size_t n = count, bytes = bytes_in_use + persistent_term_table_size() * sizeof table->bucket[0];
    mutex_unlock(&lock);
    Term pairs[] = {am_count, small_make((SWord)n), am_memory, integer_from_uint64(area, bytes)};
    return map_from_pairs(area, pairs, 2);
}
