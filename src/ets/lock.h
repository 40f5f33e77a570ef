/*
 * The lock of one table: many readers or one writer, held for moments, never across a slice or a call that waits.
 *
 * With one slot it is a plain readers-writer lock. With LOCK_SLOTS slots each thread reads through a slot of its own,
 * so that readers do not meet on a cache line, and a writer takes all slots in order. It is outside the ranked locks
 * (it is taken by the hundred thousand and has no order to keep): a thread holds at most one table's lock, and takes
 * only locks of rank ETS_REGISTRY and above under it.
 */
#ifndef VIV_ETS_LOCK_H
#define VIV_ETS_LOCK_H

#include "base/defs.h"

#include <pthread.h>
#include <stdatomic.h>

#define LOCK_SLOTS 8
typedef struct {
    _Alignas(CACHE_LINE) pthread_rwlock_t rwlock;
} LockSlot;
typedef struct {
    unsigned slots;
    LockSlot *slot;
} TableLock;

/* A number for the calling thread, the same for its life. */
unsigned table_lock_thread(void);
void table_lock_init(TableLock *l, unsigned slots);
void table_lock_release(TableLock *l);

static inline pthread_rwlock_t *table_lock_mine(TableLock *l) {
    return &l->slot[l->slots == 1 ? 0 : table_lock_thread() % l->slots].rwlock;
}
static inline void table_lock_read(TableLock *l) { pthread_rwlock_rdlock(table_lock_mine(l)); }
static inline void table_unlock_read(TableLock *l) { pthread_rwlock_unlock(table_lock_mine(l)); }
static inline void table_lock_write(TableLock *l) {
    for (unsigned i = 0; i < l->slots; i++)
        pthread_rwlock_wrlock(&l->slot[i].rwlock);
}
static inline void table_unlock_write(TableLock *l) {
    for (unsigned i = l->slots; i-- > 0;)
        pthread_rwlock_unlock(&l->slot[i].rwlock);
}

#endif
