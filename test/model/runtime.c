/*
 * What a model is linked with: the functions that clang's instrumentation for ThreadSanitizer calls, thread-locals
 * (-femulated-tls), and what redirect.h and the runtime's own sources ask of the system: locks, futexes, memory.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "alloc/alloc.h"
#include "base/defs.h"
#include "explore.h"
#include "sys/clock.h"

#define CALLED() (trace_caller[self] = (uintptr_t)__builtin_return_address(0))

/* --- what clang reports ------------------------------------------------------------------------------------------ */

#define PLAIN(bytes)                                                                                                   \
    void __tsan_read##bytes(void *p) { CALLED(), memory_plain((uintptr_t)p, bytes, false); }                           \
    void __tsan_write##bytes(void *p) { CALLED(), memory_plain((uintptr_t)p, bytes, true); }                           \
    void __tsan_unaligned_read##bytes(void *p) { CALLED(), memory_plain((uintptr_t)p, bytes, false); }                 \
    void __tsan_unaligned_write##bytes(void *p) { CALLED(), memory_plain((uintptr_t)p, bytes, true); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) {}
void __tsan_func_exit(void) {}

void *__tsan_memcpy(void *to, const void *from, size_t size) {
    CALLED();
    memory_plain((uintptr_t)from, size, false);
    memory_plain((uintptr_t)to, size, true);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size) {
    CALLED();
    memory_plain((uintptr_t)from, size, false);
    memory_plain((uintptr_t)to, size, true);
    return memmove(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size) {
    CALLED();
    memory_plain((uintptr_t)to, size, true);
    return memset(to, byte, size);
}

static uint64_t load(uintptr_t address, unsigned size, int order) {
    arrive(address, false);
    uint64_t value = memory_load(address, size, order, thread_must_see_newest(address));
    thread_has_loaded(address, size);
    return value;
}

static void store(uintptr_t address, unsigned size, uint64_t value, int order) {
    arrive(address, true);
    memory_store(address, size, value, order);
}

static uint64_t update(uintptr_t address, unsigned size, Update *how, uint64_t operand, int order) {
    arrive(address, true);
    return memory_update(address, size, how, operand, order);
}

static uint64_t compare_exchange(uintptr_t address, unsigned size, uint64_t expected, uint64_t desired, int order,
                                 int failure) {
    arrive(address, true);
    bool newest_only = thread_must_see_newest(address);
    uint64_t value = memory_compare_exchange(address, size, expected, desired, order, failure, newest_only);
    thread_has_loaded(address, size);
    return value;
}

static uint64_t operand_alone(uint64_t old, uint64_t operand) { return operand; }
static uint64_t sum(uint64_t old, uint64_t operand) { return old + operand; }
static uint64_t difference(uint64_t old, uint64_t operand) { return old - operand; }
static uint64_t conjunction(uint64_t old, uint64_t operand) { return old & operand; }
static uint64_t disjunction(uint64_t old, uint64_t operand) { return old | operand; }
static uint64_t exclusion(uint64_t old, uint64_t operand) { return old ^ operand; }

#define ATOMIC_UPDATE(bits, type, name, how)                                                                           \
    type __tsan_atomic##bits##_##name(type *p, type v, int order) {                                                    \
        CALLED();                                                                                                      \
        return (type)update((uintptr_t)p, bits / 8, how, v, order);                                                    \
    }
#define ATOMIC(bits, type)                                                                                             \
    type __tsan_atomic##bits##_load(const type *p, int order) {                                                        \
        CALLED();                                                                                                      \
        return (type)load((uintptr_t)p, bits / 8, order);                                                              \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(type *p, type v, int order) {                                                     \
        CALLED();                                                                                                      \
        store((uintptr_t)p, bits / 8, v, order);                                                                       \
    }                                                                                                                  \
    type __tsan_atomic##bits##_compare_exchange_val(type *p, type expected, type v, int order, int failure) {          \
        CALLED();                                                                                                      \
        return (type)compare_exchange((uintptr_t)p, bits / 8, expected, v, order, failure);                            \
    }                                                                                                                  \
    ATOMIC_UPDATE(bits, type, exchange, operand_alone)                                                                 \
    ATOMIC_UPDATE(bits, type, fetch_add, sum)                                                                          \
    ATOMIC_UPDATE(bits, type, fetch_sub, difference)                                                                   \
    ATOMIC_UPDATE(bits, type, fetch_and, conjunction)                                                                  \
    ATOMIC_UPDATE(bits, type, fetch_or, disjunction)                                                                   \
    ATOMIC_UPDATE(bits, type, fetch_xor, exclusion)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order) {
    CALLED();
    memory_fence(order);
}

/* The light side of a barrier of which the other side is membarrier(2), alloc/barrier.h: nothing, but who is
 * interrupted there may find that the heavy one is over. */
static char barriers;
void __tsan_atomic_signal_fence(int order) {
    CALLED();
    arrive((uintptr_t)&barriers, false);
    memory_step(33, 0);
}

/* What `from` has done is known to `to` from here on. */
static void pass_on(unsigned from, unsigned to) {
    clock_join(&known[to].past, &known[from].past);
    unsigned me = self;
    self = to;
    memory_step(34, from);
    memory_fence(__ATOMIC_SEQ_CST);
    self = me;
}

/* Each of the others is interrupted, at its place just then, and knows what the caller did before; the caller knows
 * then what it did. */
void model_heavy_barrier(void) {
    CALLED();
    unsigned me = self;
    memory_fence(__ATOMIC_SEQ_CST);
    for (unsigned t = 0; t < MODEL_THREADS; t++) {
        if (t == me)
            continue;
        arrive((uintptr_t)&barriers, true);
        pass_on(me, t);
        pass_on(t, me);
    }
}

/* --- thread-locals ----------------------------------------------------------------------------------------------- */

/* As clang lays it out. */
typedef struct {
    size_t size, alignment;
    void *unused;
    const void *initial; /* or NULL: zero */
} ThreadLocal;

#define THREAD_LOCALS_MAX 64
typedef struct {
    const ThreadLocal *of;
    void *memory;
} Instance;
static Instance instances[MODEL_THREADS][THREAD_LOCALS_MAX];

static void instance_make(Instance *i, const ThreadLocal *of) {
    *i = (Instance){of, arena_alloc(of->size, of->alignment)};
    memory_plain((uintptr_t)i->memory, of->size, true);
    if (of->initial)
        memcpy(i->memory, of->initial, of->size);
}

void *__emutls_get_address(ThreadLocal *of) {
    for (Instance *i = instances[self]; i < instances[self] + THREAD_LOCALS_MAX; i++) {
        if (i->of == NULL)
            instance_make(i, of);
        if (i->of == of)
            return i->memory;
    }
    abort();
}

/* --- locks ------------------------------------------------------------------------------------------------------- */

typedef struct {
    pthread_mutex_t *mutex;
    Clock released; /* what its last owner knew */
    unsigned turn;
    bool is_held;
} Lock;

#define LOCKS_MAX 64
static Lock locks[LOCKS_MAX];
static unsigned lock_count;
static pthread_mutex_t *tried[LOCKS_MAX]; /* in any execution: whether they are held is looked at */
static unsigned tried_count;

typedef struct {
    const pthread_mutex_t *mutex;
    unsigned turn;
} Refusal;
static Refusal refused[MODEL_THREADS]; /* the last time that each found a lock held */

void runtime_reset(void) {
    memset(refused, 0, sizeof refused);
    memset(instances, 0, sizeof instances);
    lock_count = 0;
}

static Lock *lock_of(pthread_mutex_t *m) {
    for (unsigned i = 0; i < lock_count; i++)
        if (locks[i].mutex == m)
            return &locks[i];
    if (lock_count == LOCKS_MAX)
        model_fail("too many locks");
    locks[lock_count] = (Lock){.mutex = m};
    return &locks[lock_count++];
}

static bool is_tried(const pthread_mutex_t *m) {
    for (unsigned i = 0; i < tried_count; i++)
        if (tried[i] == m)
            return true;
    return false;
}

static bool is_free(uintptr_t mutex) { return !lock_of((pthread_mutex_t *)mutex)->is_held; }

static void take(Lock *l) {
    l->is_held = true;
    memory_step(30, hash_mix((uintptr_t)l->mutex, l->turn++));
    clock_join(&known[self].past, &l->released);
    trace_step("locks", (uintptr_t)l->mutex, 0, ORDER_NONE, 0);
}

int redirect_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) { return 0; }
int redirect_mutex_destroy(pthread_mutex_t *m) { return 0; }

int redirect_mutex_lock(pthread_mutex_t *m) {
    CALLED();
    memory_plain((uintptr_t)m, 1, false); /* is it there? */
    arrive_when((uintptr_t)m, is_free, "waits for a lock");
    take(lock_of(m));
    return 0;
}

/* When it is held: that it was is part of what happened. Who tries again while nobody has released it waits: else it
 * would try for ever. */
int redirect_mutex_trylock(pthread_mutex_t *m) {
    CALLED();
    memory_plain((uintptr_t)m, 1, false);
    if (!is_tried(m) && tried_count < LOCKS_MAX) {
        tried[tried_count++] = m;
        explore_again();
    }
    if (refused[self].mutex == m && refused[self].turn == lock_of(m)->turn)
        arrive_when((uintptr_t)m, is_free, "tries for a lock again");
    else
        arrive((uintptr_t)m, true);
    Lock *l = lock_of(m);
    if (!l->is_held) {
        take(l);
        return 0;
    }
    refused[self] = (Refusal){m, l->turn};
    memory_step(31, hash_mix((uintptr_t)m, l->turn));
    trace_step("finds locked", (uintptr_t)m, 0, ORDER_NONE, 0);
    return EBUSY;
}

int redirect_mutex_unlock(pthread_mutex_t *m) {
    CALLED();
    memory_plain((uintptr_t)m, 1, false);
    if (is_tried(m))
        arrive((uintptr_t)m, true);
    Lock *l = lock_of(m);
    if (!l->is_held)
        model_fail("unlocks what is not locked");
    l->is_held = false;
    memory_step(32, hash_mix((uintptr_t)m, l->turn++));
    l->released = known[self].past;
    trace_step("unlocks", (uintptr_t)m, 0, ORDER_NONE, 0);
    return 0;
}

int redirect_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) { return 0; }

int redirect_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    redirect_mutex_unlock(m);
    thread_sleep((uintptr_t)c, -1);
    return redirect_mutex_lock(m);
}

int redirect_cond_signal(pthread_cond_t *c) {
    arrive((uintptr_t)c, true);
    thread_wake((uintptr_t)c, 1);
    return 0;
}

int redirect_cond_broadcast(pthread_cond_t *c) {
    arrive((uintptr_t)c, true);
    thread_wake((uintptr_t)c, MODEL_THREADS);
    return 0;
}

int redirect_yield(void) {
    thread_yield();
    return 0;
}

/* --- futexes ----------------------------------------------------------------------------------------------------- */

/* The kernel looks at the word under a lock that who wakes takes as well: so it finds the newest value. */
static long futex_wait(uintptr_t word, uint32_t expected, const struct timespec *until) {
    uint32_t value = (uint32_t)memory_load(word, 4, __ATOMIC_RELAXED, true);
    if (value != expected) {
        errno = EAGAIN;
        return -1;
    }
    if (thread_sleep(word, until ? until->tv_sec * NANOSECONDS_PER_SECOND + until->tv_nsec : -1))
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

long redirect_syscall(long number, _Atomic uint32_t *word, int operation, uint32_t value, const struct timespec *until,
                      void *unused, int mask) {
    CALLED();
    require(number == SYS_futex);
    arrive((uintptr_t)word, true);
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET || (operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
        return futex_wait((uintptr_t)word, value, until);
    trace_step("wakes up to", (uintptr_t)word, value, ORDER_NONE, 0);
    thread_wake((uintptr_t)word, value);
    return 0;
}

/* --- what the sources call --------------------------------------------------------------------------------------- */

int64_t clock_monotonic(void) { return model_now(); }
int64_t clock_real(void) { return model_now(); }
bool spin_gives_way;

typedef struct {
    size_t bytes;
    uint64_t unused;
} Block;

static void *allocate(size_t bytes, size_t alignment) {
    CALLED();
    alignment = alignment < sizeof(Block) ? sizeof(Block) : alignment;
    char *block = (char *)arena_alloc(alignment + bytes, alignment) + alignment;
    memory_plain((uintptr_t)block - sizeof(Block), sizeof(Block) + bytes, true);
    ((Block *)block)[-1].bytes = bytes;
    return block;
}

void *mem_alloc(AllocType type, size_t bytes) { return allocate(bytes, 16); }
void *mem_calloc(AllocType type, size_t bytes) { return allocate(bytes, 16); }
void *mem_alloc_aligned(AllocType type, size_t bytes, size_t alignment) { return allocate(bytes, alignment); }
void *model_alloc(size_t bytes) { return allocate(bytes, 16); }

void model_free(void *block) {
    CALLED();
    if (block)
        memory_freed((uintptr_t)block, ((Block *)block)[-1].bytes);
}
void mem_free(AllocType type, void *block) { model_free(block); }

void panic_at(const char *file, int line, const char *format, ...) {
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    model_fail("%s", text);
}
