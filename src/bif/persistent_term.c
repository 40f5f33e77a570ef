/*
 * Persistent terms: a table whose readers take no lock and copy nothing.
 *
 * A slot leads to an entry that never changes; key and value lie in a literal area of their own. Writers are one at a time
 * (PERSISTENT_TERMS). An entry that was replaced or erased, and a table that was outgrown, go through thread progress;
 * the literal area of such an entry stays for good, because processes may hold its terms as they hold any literal.
 * Source: persistent_term(3).
 */
#include <stdatomic.h>

#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "bif_table.h"
#include "heap/copy.h"
#include "heap/literal.h"
#include "process/process.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/hash.h"
#include "term/map.h"

typedef struct {
    ProgressNode progress; /* must be first */
    uint32_t hash;
    Term key, value;
    size_t words;
} Entry;
typedef struct {
    ProgressNode progress; /* must be first */
    size_t mask, used;     /* used: slots that are not NULL */
    _Atomic(Entry *) slots[];
} Table;

#define TABLE_SLOTS_MIN 64

static _Atomic(Table *) the_table;
static Mutex lock = MUTEX_INITIALIZER(LOCK_PERSISTENT_TERMS);
static size_t count, words; /* under the lock */
static Entry erased_entry;
#define ERASED (&erased_entry)

static void free_later(ProgressNode *node) { mem_free(ALLOC_PERSISTENT, node); }

static Table *table_create(size_t slots) {
    Table *t = mem_calloc(ALLOC_PERSISTENT, sizeof *t + slots * sizeof t->slots[0]);
    t->progress.run = free_later;
    t->mask = slots - 1;
    return t;
}

/* The slot that holds the key, or the NULL one where the search ended. */
static _Atomic(Entry *) *find_slot(Table *t, Term key, uint32_t hash) {
    for (size_t i = hash;; i++) {
        _Atomic(Entry *) *slot = &t->slots[i & t->mask];
        Entry *e = atomic_load_explicit(slot, memory_order_acquire);
        if (e == NULL || (e != ERASED && e->hash == hash && term_identical(e->key, key)))
            return slot;
    }
}

static Term look_up(Term key) {
    Table *t = atomic_load_explicit(&the_table, memory_order_acquire);
    Entry *e = t == NULL ? NULL : atomic_load_explicit(find_slot(t, key, term_hash(key)), memory_order_acquire);
    return e == NULL ? NON_VALUE : e->value;
}

/* A table with room for one more: under the lock. */
static Table *table_with_room(void) {
    Table *old = atomic_load_explicit(&the_table, memory_order_relaxed);
    if (old != NULL && 2 * (old->used + 1) <= old->mask)
        return old;
    size_t slots = TABLE_SLOTS_MIN;
    while (slots < 4 * (count + 1))
        slots *= 2;
    Table *t = table_create(slots);
    for (size_t i = 0; old != NULL && i <= old->mask; i++) {
        Entry *e = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (e == NULL || e == ERASED)
            continue;
        atomic_store_explicit(find_slot(t, e->key, e->hash), e, memory_order_relaxed);
        t->used++;
    }
    atomic_store_explicit(&the_table, t, memory_order_release);
    if (old != NULL)
        thread_progress_later(&old->progress);
    return t;
}

static Entry *entry_create(Term key, Term value) {
    Entry *e = mem_calloc(ALLOC_PERSISTENT, sizeof *e);
    e->progress.run = free_later;
    e->hash = term_hash(key);
    e->words = term_flat_size_literals(key) + term_flat_size_literals(value);
    e->key = key;
    e->value = value;
    if (e->words > 0) {
        LiteralArea *area = literal_area_create(e->words);
        e->key = term_copy_literals(key, &area->area);
        e->value = term_copy_literals(value, &area->area);
    }
    return e;
}

static void retire(Entry *e) {
    words -= e->words;
    thread_progress_later(&e->progress);
}

static void put(Term key, Term value) {
    Table *t = table_with_room();
    _Atomic(Entry *) *slot = find_slot(t, key, term_hash(key));
    Entry *old = atomic_load_explicit(slot, memory_order_relaxed);
    if (old != NULL && term_identical(old->value, value))
        return;
    Entry *e = entry_create(key, value);
    words += e->words;
    atomic_store_explicit(slot, e, memory_order_release);
    if (old != NULL) {
        retire(old);
    } else {
        t->used++;
        count++;
    }
}

Term persistent_term_put_2(Process *p, const Term *a) {
    mutex_lock(&lock);
    put(a[0], a[1]);
    mutex_unlock(&lock);
    return am_ok;
}

Term persistent_term_get_1(Process *p, const Term *a) {
    Term value = look_up(a[0]);
    return is_value(value) ? value : fail_badarg(p);
}

Term persistent_term_get_2(Process *p, const Term *a) {
    Term value = look_up(a[0]);
    return is_value(value) ? value : a[1];
}

Term persistent_term_get_0(Process *p, const Term *a) {
    Area *area = process_area(p);
    Term list = NIL;
    Table *t = atomic_load_explicit(&the_table, memory_order_acquire);
    for (size_t i = 0; t != NULL && i <= t->mask; i++) {
        Entry *e = atomic_load_explicit(&t->slots[i], memory_order_acquire);
        if (e != NULL && e != ERASED)
            list = area_cons(area, area_tuple2(area, e->key, e->value), list);
    }
    return list;
}

Term persistent_term_erase_1(Process *p, const Term *a) {
    Entry *e = NULL;
    mutex_lock(&lock);
    Table *t = atomic_load_explicit(&the_table, memory_order_relaxed);
    _Atomic(Entry *) *slot = t == NULL ? NULL : find_slot(t, a[0], term_hash(a[0]));
    if (slot != NULL && (e = atomic_load_explicit(slot, memory_order_relaxed)) != NULL) {
        atomic_store_explicit(slot, ERASED, memory_order_release);
        count--;
        retire(e);
    }
    mutex_unlock(&lock);
    return bool_term(e != NULL);
}

Term persistent_term_info_0(Process *p, const Term *a) {
    Area *area = process_area(p);
    mutex_lock(&lock);
    Term pairs[] = {am_count, small_make((SWord)count), am_memory, small_make((SWord)(words * WORD_BYTES))};
    mutex_unlock(&lock);
    return map_from_pairs(area, pairs, 2);
}
