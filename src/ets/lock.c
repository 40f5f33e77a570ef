#include "ets/lock.h"

__thread unsigned table_lock_thread_number;

noinline unsigned table_lock_number_thread(void) {
    static _Atomic unsigned threads;
    return table_lock_thread_number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
}

void table_lock_init(TableLock *l, unsigned slots, void *room) {
    *l = (TableLock){.slots = slots};
    if (slots == LOCK_SLOTS)
        l->slot = (LockSlot *)(((uintptr_t)room + _Alignof(LockSlot) - 1) & -_Alignof(LockSlot));
}

void table_lock_pass(TableLock *l) {
    if (l->slots == 1)
        fair_lock_pass(&l->own);
    for (unsigned i = 0; l->slots > 1 && i < LOCK_SLOTS; i++)
        fair_lock_pass(&l->slot[i].lock);
}

void table_lock_write_all(TableLock *l, const _Atomic uint64_t *name) {
    for (unsigned i = 0; i < LOCK_SLOTS; i++)
        fair_lock_write(&l->slot[i].lock, name);
}

void table_unlock_write_all(TableLock *l) {
    for (unsigned i = LOCK_SLOTS; i-- > 0;)
        fair_lock_end_write(&l->slot[i].lock);
}
