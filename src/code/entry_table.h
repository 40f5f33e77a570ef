/*
 * A hash table of entries that are never taken out (exports, modules), which is read without a lock.
 *
 * Open addressing; the slots hold pointers to entries that never move. Entries are added under the lock of whoever owns
 * the table. One that is full is copied into one of twice the size, which is published, and stays readable until thread
 * progress: so a reader who holds its thread progress may miss what is added meanwhile, and nothing else. Who must not
 * miss it looks again under the lock.
 */
#ifndef VIV_CODE_ENTRY_TABLE_H
#define VIV_CODE_ENTRY_TABLE_H

#include <stdatomic.h>

#include "alloc/alloc.h"
#include "base/thread_progress.h"

typedef struct {
    ProgressNode progress; /* must be first */
    size_t mask;
    AllocType type;
    _Atomic(void *) slot[];
} EntrySlots;

typedef struct {
    _Atomic(EntrySlots *) slots;
    size_t count; /* under the lock */
    size_t (*hash)(const void *entry);
} EntryTable;

/* Allocates `slots`, a power of two, if there are none yet. */
void entry_table_init(EntryTable *t, AllocType type, size_t slots);
/* Under the lock. The entry is not there yet. */
void entry_table_add(EntryTable *t, void *entry);
/* All that were there at the call. Returns how many slots were looked at. */
size_t entry_table_each(const EntryTable *t, void (*each)(void *entry, void *data), void *data);

/* The entry of this hash that `is` takes for the key, or NULL. Made for functions that are known where it is called:
 * they become a part of the loop. */
static inline __attribute__((always_inline)) void *
entry_table_find(const EntryTable *t, size_t hash, bool (*is)(const void *entry, const void *key), const void *key) {
    const EntrySlots *s = atomic_load_explicit(&t->slots, memory_order_acquire);
    for (size_t i = hash;; i++) {
        void *entry = atomic_load_explicit(&s->slot[i & s->mask], memory_order_acquire);
        if (entry == NULL || is(entry, key))
            return entry;
    }
}

#endif
