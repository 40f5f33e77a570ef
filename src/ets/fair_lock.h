/*
 * A lock for many readers or one writer at which nobody starves: for tables, their stripes and their leaves.
 *
 * One word says who is in: FAIR_WRITER, or a number of readers; and, for those who come, FAIR_QUEUE: somebody waits,
 * and FAIR_HURRY: the first of the writers who wait has waited long. To go in and out by the word alone is one atomic
 * step each. Those who cannot stand in one of two queues, readers and writers, which a mutex guards; FAIR_QUEUE is set
 * just when one of them is not empty, and both bits change under that mutex only.
 *
 * Who goes first:
 *   - A reader does not pass anybody who waits. So while a writer waits, readers become fewer, and the last lets it in.
 *   - A writer who leaves lets all readers in who wait then (they are readers at once: the lock is never free between).
 *     So a reader waits for one writer that is in, or for the readers that are in, one writer, and what follows.
 *   - Where no reader waits, the lock is set free and the first writer is called, which may find that another one has
 *     come first: so threads that run need not wait for one that has yet to be woken. A writer that was called
 *     FAIR_CALLS_IN_VAIN times sets FAIR_HURRY; then nobody passes any more, and the lock is handed to it.
 *
 * No wake is lost. Who begins to wait sets FAIR_QUEUE in the same atomic step in which he sees that somebody is in (or
 * FAIR_HURRY without anybody: then its last reader is on his way to the mutex). Whoever was in sees the bit in the
 * atomic step with which he leaves, and takes the mutex afterwards: there he finds the waiter in its queue. If somebody
 * else is in by then, the same holds for that one. A writer that was called says that it waits again (its word) before
 * it sees, under the mutex, that somebody is in.
 *
 * Waiting: a moment in a loop, for holders are quick; then asleep on the waiter's own word, WAITS, SLEEPS, CALLED or
 * HAS_IT. Who sets HAS_IT has taken the waiter out of its queue and touches nothing of it afterwards (but the address,
 * to wake it: sys/futex.h). A waiter leaves its stack frame only after HAS_IT, or when it took itself out under the
 * mutex. A thread that has slept for a millisecond gives its scheduler away (base/long_work.h): the holder then works
 * long, and what else is to run on the scheduler need not wait for it.
 *
 * Memory order: who goes in acquires, who goes out releases. All steps on the word are read-modify-write steps; so a
 * writer sees what all readers before it did. One who is let in by somebody else acquires from its own word what that
 * one has released there, who had acquired the lock's word. Readers who come, or begin to wait, release as well: by
 * that a step that changes nothing (fair_lock_pass) divides them into those before it and those after it.
 * test/model/m_fair_lock.c tries all executions of up to three threads.
 *
 * Alone: while one thread only can come to any lock, its atomic steps are plain ones: without them a look-up of a key
 * takes a third less. The scheduler says so (fair_lock_set_alone), where there is just one and no thread has given it
 * away and works on; between two slices, when no lock is held, and takes it back before another thread takes the
 * scheduler over. What that one did is before what the next does by the order in which the scheduler goes from hand to
 * hand. So no other thread (dirty ones, those of libraries) may ever come to a lock; debug builds look.
 *
 * The lock's memory must be there until every thread that was at the lock has passed a quiescent point: who leaves may
 * look at it once more. Not recursive, not even for readers.
 */
#ifndef VIV_ETS_FAIR_LOCK_H
#define VIV_ETS_FAIR_LOCK_H

#include "base/defs.h"

#include <stdatomic.h>

enum { FAIR_WRITER = 1, FAIR_QUEUE = 2, FAIR_HURRY = 4, FAIR_READER = 8 /* each */ };
#define FAIR_CALLS_IN_VAIN 8

typedef struct LockWaiter LockWaiter;
typedef struct {
    _Atomic uint32_t state;
    LockWaiter *readers, *writers, *last_writer;
} FairLock; /* all zero: free */

/* The calling thread is alone; see above. */
extern __thread bool fair_lock_alone;
#ifdef VIV_DEBUG
void fair_lock_set_alone(bool is_alone);
void fair_lock_come(void); /* panics when another thread is alone */
#else
static inline void fair_lock_set_alone(bool is_alone) { fair_lock_alone = is_alone; }
static inline void fair_lock_come(void) {}
#endif

/* `name` of what is locked, or NULL, is told to those who ask what a thread waits for (base/waiting.h). */
void fair_lock_read_slow(FairLock *l, const _Atomic uint64_t *name);
void fair_lock_write_slow(FairLock *l, const _Atomic uint64_t *name);
void fair_lock_readers_gone(FairLock *l);
void fair_lock_hand_on(FairLock *l);

/* A step on the word: false, and *s is what it is, when it was not *s. */
static inline bool fair_lock_step(FairLock *l, uint32_t *s, uint32_t to, memory_order order) {
    if (!fair_lock_alone)
        return atomic_compare_exchange_strong_explicit(&l->state, s, to, order, memory_order_relaxed);
    uint32_t is = atomic_load_explicit(&l->state, memory_order_relaxed);
    bool can = is == *s;
    *s = is;
    if (can)
        atomic_store_explicit(&l->state, to, memory_order_relaxed);
    return can;
}

static inline bool fair_lock_try_read(FairLock *l) {
    fair_lock_come();
    uint32_t s = atomic_load_explicit(&l->state, memory_order_relaxed);
    while (!(s & (FAIR_WRITER | FAIR_QUEUE)))
        if (fair_lock_step(l, &s, s + FAIR_READER, memory_order_acq_rel))
            return true;
    return false;
}

static inline bool fair_lock_try_write(FairLock *l) {
    fair_lock_come();
    uint32_t s = 0;
    return fair_lock_step(l, &s, FAIR_WRITER, memory_order_acquire);
}

static inline void fair_lock_read(FairLock *l, const _Atomic uint64_t *name) {
    if (unlikely(!fair_lock_try_read(l)))
        fair_lock_read_slow(l, name);
}

static inline void fair_lock_write(FairLock *l, const _Atomic uint64_t *name) {
    if (unlikely(!fair_lock_try_write(l)))
        fair_lock_write_slow(l, name);
}

static inline uint32_t fair_lock_subtract_reader(FairLock *l) {
    if (!fair_lock_alone)
        return atomic_fetch_sub_explicit(&l->state, FAIR_READER, memory_order_release);
    uint32_t before = atomic_load_explicit(&l->state, memory_order_relaxed);
    atomic_store_explicit(&l->state, before - FAIR_READER, memory_order_relaxed);
    return before;
}

static inline void fair_lock_end_read(FairLock *l) {
    uint32_t before = fair_lock_subtract_reader(l);
    if (unlikely((before & FAIR_QUEUE) && before < 2 * FAIR_READER))
        fair_lock_readers_gone(l);
}

/* Nobody comes in, or waits. But what a reader did before he came, before this, comes before what the caller does from
 * now on; and what the caller did comes before what those do who come after this. */
static inline void fair_lock_pass(FairLock *l) {
    if (!fair_lock_alone)
        atomic_fetch_add_explicit(&l->state, 0, memory_order_acq_rel);
}

static inline void fair_lock_end_write(FairLock *l) {
    uint32_t s = FAIR_WRITER;
    if (unlikely(!fair_lock_step(l, &s, 0, memory_order_release)))
        fair_lock_hand_on(l);
}

#endif
