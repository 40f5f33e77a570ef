#include "ets/fair_lock.h"

#include "base/long_work.h"
#include "base/mix.h"
#include "base/waiting.h"
#include "sys/clock.h"
#include "sys/futex.h"
#include "sys/thread.h"

__thread bool fair_lock_alone;

#ifdef VIV_DEBUG
static _Atomic unsigned alone; /* threads that are: 0 or 1 */

void fair_lock_set_alone(bool is_alone) {
    if (is_alone != fair_lock_alone)
        require(atomic_fetch_add(&alone, is_alone ? 1 : -1u) == !is_alone);
    fair_lock_alone = is_alone;
}

void fair_lock_come(void) { require(fair_lock_alone || atomic_load(&alone) == 0); }
#endif

enum { WAITS, SLEEPS, CALLED, HAS_IT };
struct LockWaiter {
    LockWaiter *next;
    _Atomic uint32_t word;
};

/* The mutex of a lock's queues: one of a few, for few locks have queues at a time. */
#define QUEUES 64
static struct {
    _Alignas(CACHE_LINE) Mutex mutex;
} queues[QUEUES] = {[0 ... QUEUES - 1] = {MUTEX_INITIALIZER(LOCK_ETS_WAITERS)}};
static Mutex *queue_of(const FairLock *l) { return &queues[((uintptr_t)l >> 3) * MIX_GOLDEN >> 58].mutex; }
_Static_assert(QUEUES == 1 << (64 - 58), "the mutex is found by the high bits");

#define SPINS 100
#define MOMENT 1000000 /* ns asleep before the scheduler is given away */

static bool may_write(uint32_t s) { return s < FAIR_READER && !(s & (FAIR_WRITER | FAIR_HURRY)); }
static bool may_read(uint32_t s) { return !(s & (FAIR_WRITER | FAIR_QUEUE)); }

/* *s is what the word was found to be. */
static bool move(FairLock *l, uint32_t *s, uint32_t to) {
    return atomic_compare_exchange_weak_explicit(&l->state, s, to, memory_order_acq_rel, memory_order_relaxed);
}

/* Waits for a writer to leave. A writer that waits for readers had better say so, and a reader behind others too. */
static bool spin_in(FairLock *l, bool writes) {
    for (unsigned i = 0; i < SPINS; i++) {
        uint32_t s = atomic_load_explicit(&l->state, memory_order_relaxed);
        if ((writes ? may_write(s) : may_read(s)) && move(l, &s, s + (writes ? FAIR_WRITER : FAIR_READER)))
            return true;
        if (writes ? s >= FAIR_READER : (s & FAIR_QUEUE) != 0)
            return false;
        cpu_pause();
    }
    return false;
}

/* The rest, but for waiting itself, is done under the mutex. */

static void join_queue(FairLock *l, LockWaiter *w, bool writes) {
    if (!writes) {
        w->next = l->readers;
        l->readers = w;
        return;
    }
    *(l->writers ? &l->last_writer->next : &l->writers) = w;
    l->last_writer = w;
}

static LockWaiter *take_first_writer(FairLock *l) {
    LockWaiter *w = l->writers;
    l->writers = w->next;
    w->next = NULL;
    return w;
}

static uint32_t queue_bit(const FairLock *l) { return l->readers || l->writers ? FAIR_QUEUE : 0; }

/* True: it is in. Else it stands in its queue, and somebody is in who will see that. */
static bool enter_or_queue(FairLock *l, LockWaiter *w, bool writes) {
    uint32_t s = atomic_load_explicit(&l->state, memory_order_relaxed);
    for (;;) {
        bool can = writes ? may_write(s) : may_read(s);
        if (!move(l, &s, can ? s + (writes ? FAIR_WRITER : FAIR_READER) : s | FAIR_QUEUE))
            continue;
        if (!can)
            join_queue(l, w, writes);
        return can;
    }
}

/* The first writer of the queue was called. True: it is in, and out of the queue. Else it waits again. */
static bool enter_called(FairLock *l, LockWaiter *w, bool hurries) {
    uint32_t s = atomic_load_explicit(&l->state, memory_order_relaxed);
    uint32_t queue = l->readers || w->next ? FAIR_QUEUE : 0;
    require(l->writers == w && !(s & FAIR_HURRY));
    atomic_store_explicit(&w->word, WAITS, memory_order_relaxed);
    for (;;) {
        bool can = may_write(s);
        if (!move(l, &s, can ? FAIR_WRITER | queue : s | (hurries ? FAIR_HURRY : 0)))
            continue;
        if (can)
            take_first_writer(l);
        return can;
    }
}

/* Tells the first writer to look again. The word to wake it by, or NULL. */
static _Atomic uint32_t *call_writer(FairLock *l) {
    LockWaiter *w = l->writers;
    if (!w || atomic_load_explicit(&w->word, memory_order_relaxed) == CALLED)
        return NULL;
    return atomic_exchange_explicit(&w->word, CALLED, memory_order_relaxed) == SLEEPS ? &w->word : NULL;
}

static void leave_queues(Mutex *mutex, LockWaiter *in, _Atomic uint32_t *called) {
    mutex_unlock(mutex);
    if (called)
        futex_wake(called);
    for (LockWaiter *next; in; in = next) {
        next = in->next;
        if (atomic_exchange_explicit(&in->word, HAS_IT, memory_order_release) == SLEEPS)
            futex_wake(&in->word);
    }
}

/* The writer who is in leaves. Nobody else can change the word meanwhile: those who come need the mutex. */
noinline void fair_lock_hand_on(FairLock *l) {
    Mutex *mutex = queue_of(l);
    mutex_lock(mutex);
    uint32_t s = atomic_load_explicit(&l->state, memory_order_relaxed), after = s & FAIR_HURRY;
    LockWaiter *in = l->readers;
    if (in) {
        l->readers = NULL;
        for (LockWaiter *r = in; r; r = r->next)
            after += FAIR_READER;
    } else if (s & FAIR_HURRY) {
        in = take_first_writer(l);
        after = FAIR_WRITER;
    }
    atomic_exchange_explicit(&l->state, after | queue_bit(l), memory_order_acq_rel);
    leave_queues(mutex, in, in ? NULL : call_writer(l));
}

/* The last reader has left, and saw that somebody waits: a writer, for readers wait for nobody else. */
noinline void fair_lock_readers_gone(FairLock *l) {
    Mutex *mutex = queue_of(l);
    LockWaiter *in = NULL;
    mutex_lock(mutex);
    uint32_t s = atomic_load_explicit(&l->state, memory_order_acquire);
    bool is_free = s < FAIR_READER && !(s & FAIR_WRITER); /* if not, who came in looks after the queue */
    if (is_free && (s & FAIR_HURRY)) { /* nobody can come in */
        in = take_first_writer(l);
        atomic_exchange_explicit(&l->state, FAIR_WRITER | queue_bit(l), memory_order_acq_rel);
    }
    leave_queues(mutex, in, is_free && !in ? call_writer(l) : NULL);
}

/* Until somebody calls or lets it in: which of the two. */
static uint32_t wait_for_word(LockWaiter *w) {
    uint32_t word;
    for (unsigned i = 0; i < SPINS; i++) {
        if ((word = atomic_load_explicit(&w->word, memory_order_acquire)) >= CALLED)
            return word;
        cpu_pause();
    }
    word = WAITS;
    if (!atomic_compare_exchange_strong_explicit(&w->word, &word, SLEEPS, memory_order_acquire, memory_order_acquire))
        return word;
    int64_t deadline = clock_monotonic() + MOMENT;
    while ((word = atomic_load_explicit(&w->word, memory_order_acquire)) == SLEEPS)
        if (!futex_wait(&w->word, SLEEPS, deadline)) {
            deadline = -1;
            long_work_exceeded();
        }
    return word;
}

static bool enter_slow(FairLock *l, LockWaiter *w, bool writes) {
    if (spin_in(l, writes))
        return true;
    Mutex *mutex = queue_of(l);
    mutex_lock(mutex);
    bool is_in = enter_or_queue(l, w, writes);
    mutex_unlock(mutex);
    return is_in;
}

noinline void fair_lock_read_slow(FairLock *l, const _Atomic uint64_t *name) {
    LockWaiter w = {0};
    waiting_begin(name);
    if (!enter_slow(l, &w, false))
        wait_for_word(&w); /* readers are not called: they are let in */
    waiting_end();
}

static void write_slow(FairLock *l) {
    LockWaiter w = {0};
    if (enter_slow(l, &w, true))
        return;
    Mutex *mutex = queue_of(l);
    for (unsigned calls = 1; wait_for_word(&w) != HAS_IT; calls++) {
        mutex_lock(mutex);
        bool is_in = enter_called(l, &w, calls >= FAIR_CALLS_IN_VAIN);
        mutex_unlock(mutex);
        if (is_in)
            return;
    }
}

noinline void fair_lock_write_slow(FairLock *l, const _Atomic uint64_t *name) {
    waiting_begin(name);
    write_slow(l);
    waiting_end();
}
