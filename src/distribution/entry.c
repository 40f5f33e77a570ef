#include "distribution/entry.h"

#include "alloc/alloc.h"
#include "sys/thread.h"
#include "term/atom.h"

#define BUCKETS 1024

static _Atomic(Entry *) the_table[BUCKETS];
static Mutex the_lock = MUTEX_INITIALIZER(LOCK_NODE_ENTRIES);

void entries_lock(void) { mutex_lock(&the_lock); }
void entries_unlock(void) { mutex_unlock(&the_lock); }

static _Atomic(Entry *) *bucket_of(Term name) { return &the_table[(atom_index(name) * 0x9e3779b1u) >> 22]; }

Entry *entry_find(Term name) {
    Entry *e = atomic_load_explicit(bucket_of(name), memory_order_acquire);
    while (e != NULL && e->name != name)
        e = e->next;
    return e;
}

static Entry *add(Term name) {
    _Atomic(Entry *) *bucket = bucket_of(name);
    Entry *e = mem_calloc(ALLOC_DISTRIBUTION, sizeof *e);
    e->name = name;
    e->next = atomic_load_explicit(bucket, memory_order_relaxed);
    atomic_store_explicit(bucket, e, memory_order_release);
    return e;
}

Entry *entry_put(Term name) {
    Entry *e = entry_find(name);
    if (e != NULL)
        return e;
    entries_lock();
    e = entry_find(name);
    if (e == NULL)
        e = add(name);
    entries_unlock();
    return e;
}

void entries_each(void (*each)(Entry *, void *), void *data) {
    for (size_t i = 0; i < BUCKETS; i++)
        for (Entry *e = atomic_load_explicit(&the_table[i], memory_order_acquire); e != NULL; e = e->next)
            each(e, data);
}
