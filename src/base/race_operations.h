/*
 * In the delay build every operation on atomic data and every lock is a mark (base/race_window.h): the compiler reads
 * this file before each other one (CMakeLists.txt), and the names of the operations then mean the operation and its
 * marks. A read is marked after it, where what was seen may change; a write before it and after it, where what others
 * believe is no longer true, or they are not yet told. So whoever adds a protocol need not think of marks for it, only
 * of the steps between that are no such operation.
 *
 * Names are replaced, so this header may only be read where <stdatomic.h> and <pthread.h> were read before.
 */
#ifndef VIV_BASE_RACE_OPERATIONS_H
#define VIV_BASE_RACE_OPERATIONS_H

#include "base/race_window.h"

#include <pthread.h>

#if defined VIV_DELAY && !defined VIV_DELAY_ITSELF

#pragma clang diagnostic ignored "-Wunused-value" /* results that the caller drops */

#define RACE_READ(what, operation)                                                                                     \
    ({                                                                                                                 \
        __auto_type race_result = operation;                                                                           \
        RACE_MARK_HERE(what, false);                                                                                   \
        race_result;                                                                                                   \
    })
#define RACE_CHANGE(what, operation)                                                                                   \
    ({                                                                                                                 \
        RACE_MARK_HERE("before " what, false);                                                                         \
        RACE_READ(what, operation);                                                                                    \
    })
#define RACE_WRITE(what, operation)                                                                                    \
    ({                                                                                                                 \
        RACE_MARK_HERE("before " what, false);                                                                         \
        operation;                                                                                                     \
        RACE_MARK_HERE(what, false);                                                                                   \
    })

#undef atomic_load
#undef atomic_load_explicit
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_exchange
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak
#undef atomic_compare_exchange_weak_explicit
#undef atomic_fetch_add
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_and
#undef atomic_fetch_and_explicit
#undef atomic_fetch_or
#undef atomic_fetch_or_explicit

#define atomic_load_explicit(at, order) RACE_READ("load of " #at, __c11_atomic_load(at, order))
#define atomic_load(at) RACE_READ("load of " #at, __c11_atomic_load(at, __ATOMIC_SEQ_CST))
#define atomic_store_explicit(at, value, order) RACE_WRITE("store to " #at, __c11_atomic_store(at, value, order))
#define atomic_store(at, value) RACE_WRITE("store to " #at, __c11_atomic_store(at, value, __ATOMIC_SEQ_CST))
#define atomic_exchange_explicit(at, value, order)                                                                     \
    RACE_CHANGE("exchange of " #at, __c11_atomic_exchange(at, value, order))
#define atomic_exchange(at, value) atomic_exchange_explicit(at, value, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_strong_explicit(at, seen, value, order, otherwise)                                     \
    RACE_CHANGE("compare and exchange of " #at, __c11_atomic_compare_exchange_strong(at, seen, value, order, otherwise))
#define atomic_compare_exchange_strong(at, seen, value)                                                                \
    atomic_compare_exchange_strong_explicit(at, seen, value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_weak_explicit(at, seen, value, order, otherwise)                                       \
    RACE_CHANGE("compare and exchange of " #at, __c11_atomic_compare_exchange_weak(at, seen, value, order, otherwise))
#define atomic_compare_exchange_weak(at, seen, value)                                                                  \
    atomic_compare_exchange_weak_explicit(at, seen, value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_fetch_add_explicit(at, by, order) RACE_CHANGE("adding to " #at, __c11_atomic_fetch_add(at, by, order))
#define atomic_fetch_add(at, by) atomic_fetch_add_explicit(at, by, __ATOMIC_SEQ_CST)
#define atomic_fetch_sub_explicit(at, by, order)                                                                       \
    RACE_CHANGE("subtracting from " #at, __c11_atomic_fetch_sub(at, by, order))
#define atomic_fetch_sub(at, by) atomic_fetch_sub_explicit(at, by, __ATOMIC_SEQ_CST)
#define atomic_fetch_and_explicit(at, mask, order)                                                                     \
    RACE_CHANGE("clearing in " #at, __c11_atomic_fetch_and(at, mask, order))
#define atomic_fetch_and(at, mask) atomic_fetch_and_explicit(at, mask, __ATOMIC_SEQ_CST)
#define atomic_fetch_or_explicit(at, bits, order) RACE_CHANGE("setting in " #at, __c11_atomic_fetch_or(at, bits, order))
#define atomic_fetch_or(at, bits) atomic_fetch_or_explicit(at, bits, __ATOMIC_SEQ_CST)
#define __atomic_load_n(at, order) RACE_READ("load of " #at, __atomic_load_n(at, order))
#define __atomic_store_n(at, value, order) RACE_WRITE("store to " #at, __atomic_store_n(at, value, order))

#define pthread_mutex_lock(lock) RACE_CHANGE("locking " #lock, pthread_mutex_lock(lock))
#define pthread_mutex_trylock(lock) RACE_CHANGE("trying " #lock, pthread_mutex_trylock(lock))
#define pthread_mutex_unlock(lock) RACE_CHANGE("unlocking " #lock, pthread_mutex_unlock(lock))
#define pthread_rwlock_rdlock(lock) RACE_CHANGE("reading under " #lock, pthread_rwlock_rdlock(lock))
#define pthread_rwlock_wrlock(lock) RACE_CHANGE("locking " #lock, pthread_rwlock_wrlock(lock))
#define pthread_rwlock_trywrlock(lock) RACE_CHANGE("trying " #lock, pthread_rwlock_trywrlock(lock))
#define pthread_rwlock_unlock(lock) RACE_CHANGE("unlocking " #lock, pthread_rwlock_unlock(lock))
#define pthread_cond_wait(condition, lock) RACE_CHANGE("waiting for " #condition, pthread_cond_wait(condition, lock))
#define pthread_cond_signal(condition) RACE_CHANGE("signal of " #condition, pthread_cond_signal(condition))
#define pthread_cond_broadcast(condition) RACE_CHANGE("broadcast of " #condition, pthread_cond_broadcast(condition))

#endif

#endif
