/* The check behind mutex_lock in debug builds: the ranks that this thread holds, in the order it took them. */
#include "sys/thread.h"

#ifdef VIV_DEBUG

#define HELD_MAX 32
static __thread LockName held[HELD_MAX];
static __thread unsigned held_count;

void lock_order_enter(LockName name, bool tried) {
    require(held_count < HELD_MAX);
    for (unsigned i = 0; i < held_count && !tried; i++)
        if (lock_info[held[i]].rank >= lock_info[name].rank)
            panic("lock order: takes %s (rank %u) while it holds %s (rank %u)", lock_info[name].name,
                  lock_info[name].rank, lock_info[held[i]].name, lock_info[held[i]].rank);
    held[held_count++] = name;
}

void lock_order_leave(LockName name) {
    for (unsigned i = held_count; i-- > 0;) {
        if (held[i] != name)
            continue;
        for (held_count--; i < held_count; i++)
            held[i] = held[i + 1];
        return;
    }
    panic("lock order: releases %s, which it does not hold", lock_info[name].name);
}

bool lock_order_holds(LockName name) {
    for (unsigned i = 0; i < held_count; i++)
        if (held[i] == name)
            return true;
    return false;
}

bool lock_order_holds_any(void) { return held_count > 0; }

#endif
