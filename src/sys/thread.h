/*
 * OS threads, locks with a fixed order, and events to sleep on.
 *
 * A lock is one of the names in sys/locks.tab. A thread takes locks in rising rank only (two of the same rank never at
 * once, except through mutex_try_lock); debug builds keep the ranks each thread holds and panic on a breach, so that a
 * possible deadlock shows at its first wrong step and not when it happens. Locks are held for moments: never while a
 * process waits, never across a call that may collect.
 */
#ifndef VIV_SYS_THREAD_H
#define VIV_SYS_THREAD_H

#include "base/defs.h"
#include "lock_order.h" /* generated: enum LockName */

#include <pthread.h>
#include <stdatomic.h>

/* Starts a thread. `name`: at most 15 characters, as ps and gdb show it. `stack_bytes` 0: the default. Whether it can
 * be started is the system's to say at any time (memory for its stack, a limit of threads): 0, or the error number.
 * thread_start is for the threads that the runtime begins with, and ends the program. */
typedef struct {
    pthread_t handle;
} Thread;
must_check int thread_try_start(Thread *thread, const char *name, size_t stack_bytes, void (*run)(void *), void *data);
void thread_start(Thread *thread, const char *name, size_t stack_bytes, void (*run)(void *), void *data);
void thread_join(Thread *thread);
/* What the calling thread is for; set once by the thread itself. */
typedef enum { THREAD_OTHER, THREAD_SCHEDULER, THREAD_DIRTY_CPU, THREAD_DIRTY_IO } ThreadKind;
extern __thread ThreadKind thread_kind;
void thread_set_name(const char *name); /* of the calling thread */
unsigned thread_cpu_count(void);        /* processors that this program may use, at least 1 */

typedef struct {
    pthread_mutex_t mutex;
    LockName name;
} Mutex;
void mutex_init(Mutex *m, LockName name);
void mutex_release(Mutex *m); /* must not be held */
#define MUTEX_INITIALIZER(lock_name) {PTHREAD_MUTEX_INITIALIZER, lock_name}

#ifdef VIV_DEBUG
void lock_order_enter(LockName name, bool tried); /* panics when a lock of the same or a higher rank is held */
void lock_order_leave(LockName name);
bool lock_order_holds(LockName name);
bool lock_order_holds_any(void);
#else
static inline void lock_order_enter(LockName name, bool tried) {}
static inline void lock_order_leave(LockName name) {}
static inline bool lock_order_holds_any(void) { return false; }
#endif

static inline void mutex_lock(Mutex *m) {
    lock_order_enter(m->name, false);
    pthread_mutex_lock(&m->mutex);
}
static inline bool mutex_try_lock(Mutex *m) {
    if (pthread_mutex_trylock(&m->mutex) != 0)
        return false;
    lock_order_enter(m->name, true);
    return true;
}
static inline void mutex_unlock(Mutex *m) {
    lock_order_leave(m->name);
    pthread_mutex_unlock(&m->mutex);
}

/* Many readers or one writer; writers come first once they wait. */
typedef struct {
    pthread_rwlock_t lock;
    LockName name;
} RwLock;
void rwlock_init(RwLock *l, LockName name);
void rwlock_release(RwLock *l);
static inline void rwlock_read(RwLock *l) {
    lock_order_enter(l->name, false);
    pthread_rwlock_rdlock(&l->lock);
}
static inline void rwlock_write(RwLock *l) {
    lock_order_enter(l->name, false);
    pthread_rwlock_wrlock(&l->lock);
}
static inline void rwlock_unlock(RwLock *l) {
    lock_order_leave(l->name);
    pthread_rwlock_unlock(&l->lock);
}

/* Bytes between what the calling thread has of its stack in use and the end of it. */
size_t thread_stack_left(void);
/* The system's number of the calling thread. */
int thread_number(void);
/* Does that thread of this program run, or wait for nothing but a processor? True where the system does not tell. */
bool thread_is_running(int number);

/*
 * Wait on a condition of data that `m` guards; other locks must not be held. condition_wait_until: `deadline` is of
 * clock_monotonic, false when it passed. Both may return for no reason: test the data in a loop.
 */
typedef struct {
    pthread_cond_t cond;
} Condition;
void condition_init(Condition *c);
void condition_release(Condition *c);
void condition_wait(Condition *c, Mutex *m);
bool condition_wait_until(Condition *c, Mutex *m, int64_t deadline);
static inline void condition_signal(Condition *c) { pthread_cond_signal(&c->cond); }
static inline void condition_broadcast(Condition *c) { pthread_cond_broadcast(&c->cond); }

/*
 * An event: one thread sleeps on it, any thread wakes it. A wake that comes before the wait is kept (once), so there is
 * no moment at which it could be lost: reset, look for work, wait.
 *   event_reset   forget an earlier wake (by the sleeper, before it looks for work); what was done before it is seen
 *   event_wait    sleep until woken since the reset; `deadline` of clock_monotonic, negative: none. False: it passed.
 *   event_wake    cheap when nobody sleeps: no system call
 */
typedef struct {
    _Atomic uint32_t state;
} SysEvent;
static inline void event_init(SysEvent *e) { atomic_init(&e->state, 0); }
void event_reset(SysEvent *e);
bool event_wait(SysEvent *e, int64_t deadline);
void event_wake(SysEvent *e);

#endif
