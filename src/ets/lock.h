/*
 * The lock of one table: many readers or one writer, held for moments, never across a slice or a call that waits.
 *
 * With one slot it is a plain fair lock (ets/fair_lock.h). With LOCK_SLOTS slots each thread reads through a slot of
 * its own, so that readers do not meet on a cache line, and a writer takes all slots in order: it waits at each for no
 * longer than a writer of that one does, and holds up readers of those before. It is outside the ranked locks
 * (it is taken by the hundred thousand and has no order to keep): a thread holds at most one table's lock, once, and
 * takes only locks of rank ETS_REGISTRY and above under it.
 */
#ifndef VIV_ETS_LOCK_H
#define VIV_ETS_LOCK_H

#include "ets/fair_lock.h"

#define LOCK_SLOTS 8
typedef struct {
    _Alignas(CACHE_LINE) FairLock lock;
} LockSlot;
typedef struct {
    unsigned slots;
    FairLock own;   /* where there is one slot */
    LockSlot *slot; /* else; or NULL */
} TableLock;

/* A number for the calling thread, from 1, the same for its life. */
extern __thread unsigned table_lock_thread_number;
unsigned table_lock_number_thread(void);
static inline unsigned table_lock_thread(void) {
    return likely(table_lock_thread_number) ? table_lock_thread_number : table_lock_number_thread();
}
/* `room` is for the slots, when they are more than one: LOCK_ROOM zero bytes, aligned in any way, which stay the
 * caller's and last as long as the lock does. */
#define LOCK_ROOM ((LOCK_SLOTS + 1) * sizeof(LockSlot))
void table_lock_init(TableLock *l, unsigned slots, void *room);

static inline FairLock *table_lock_mine(TableLock *l) {
    return l->slots == 1 ? &l->own : &l->slot[table_lock_thread() % LOCK_SLOTS].lock;
}
/* `name`: ets/fair_lock.h. */
static inline void table_lock_read(TableLock *l, const _Atomic uint64_t *name) {
    fair_lock_read(table_lock_mine(l), name);
}
static inline void table_unlock_read(TableLock *l) { fair_lock_end_read(table_lock_mine(l)); }
void table_lock_write_all(TableLock *l, const _Atomic uint64_t *name);
void table_unlock_write_all(TableLock *l);
/* Who takes the lock shared from now on comes after what the caller did before; and what comes before those who have
 * taken it comes before what the caller does from now on. The caller holds it shared, and its thread is not alone
 * (ets/fair_lock.h). */
void table_lock_pass(TableLock *l);
/* As if the calling thread, which holds the lock shared, let it go and took it again, but nobody else gets in. */
static inline void table_lock_pass_own(TableLock *l) { fair_lock_pass(table_lock_mine(l)); }
static inline void table_lock_write(TableLock *l, const _Atomic uint64_t *name) {
    if (l->slots == 1)
        fair_lock_write(&l->own, name);
    else
        table_lock_write_all(l, name);
}
static inline void table_unlock_write(TableLock *l) {
    if (l->slots == 1)
        fair_lock_end_write(&l->own);
    else
        table_unlock_write_all(l);
}

#endif
