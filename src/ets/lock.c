#include "ets/lock.h"

#include "alloc/alloc.h"

unsigned table_lock_thread(void) {
    static _Atomic unsigned threads;
    static __thread unsigned me;
    if (unlikely(me == 0))
        me = atomic_fetch_add(&threads, 1) + 1;
    return me;
}

void table_lock_init(TableLock *l, unsigned slots) {
    l->slots = slots;
    l->slot = mem_alloc_aligned(ALLOC_ETS_TABLE, slots * sizeof *l->slot, _Alignof(LockSlot));
    for (unsigned i = 0; i < slots; i++)
        pthread_rwlock_init(&l->slot[i].rwlock, NULL);
}

void table_lock_release(TableLock *l) {
    for (unsigned i = 0; i < l->slots; i++)
        pthread_rwlock_destroy(&l->slot[i].rwlock);
    mem_free(ALLOC_ETS_TABLE, l->slot);
}
