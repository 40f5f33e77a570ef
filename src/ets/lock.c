#include "ets/lock.h"

#include "alloc/alloc.h"

#include <string.h>

__thread unsigned table_lock_thread_number;

noinline unsigned table_lock_number_thread(void) {
    static _Atomic unsigned threads;
    return table_lock_thread_number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
}

void table_lock_init(TableLock *l, unsigned slots) {
    *l = (TableLock){.slots = slots};
    if (slots == 1)
        return;
    l->slot = mem_alloc_aligned(ALLOC_ETS_TABLE, LOCK_SLOTS * sizeof *l->slot, _Alignof(LockSlot));
    memset(l->slot, 0, LOCK_SLOTS * sizeof *l->slot);
}

void table_lock_release(TableLock *l) {
    if (l->slot)
        mem_free(ALLOC_ETS_TABLE, l->slot);
}

void table_lock_write_all(TableLock *l) {
    for (unsigned i = 0; i < LOCK_SLOTS; i++)
        fair_lock_write(&l->slot[i].lock);
}

void table_unlock_write_all(TableLock *l) {
    for (unsigned i = LOCK_SLOTS; i-- > 0;)
        fair_lock_end_write(&l->slot[i].lock);
}
