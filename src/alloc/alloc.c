/*
 * mimalloc (plain malloc under sanitizers) with one set of counters for each thread.
 *
 * Only its thread writes a set, with plain stores; whoever sums reads them without a lock on the numbers. The list of
 * the sets is under `sets_lock`, and so is `ended`, into which the counts of threads that have ended are folded.
 */
#include "alloc/alloc.h"

#include "base/fault.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef VIV_SANITIZE
#include <malloc.h>
#include <stdlib.h>
#define raw_malloc malloc
#define raw_calloc(bytes) calloc(1, bytes)
#define raw_malloc_aligned(bytes, alignment) aligned_alloc(alignment, ((bytes) + (alignment) - 1) & ~((alignment) - 1))
#define raw_realloc realloc
#define raw_free free
#define raw_size malloc_usable_size
#else
#include <mimalloc.h>
#define raw_malloc mi_malloc
#define raw_calloc(bytes) mi_zalloc(bytes)
#define raw_malloc_aligned mi_malloc_aligned
#define raw_realloc mi_realloc
#define raw_free mi_free
#define raw_size mi_usable_size
#endif

typedef struct CounterSet CounterSet;
struct CounterSet {
    _Atomic int64_t bytes[ALLOC_TYPE_COUNT], blocks[ALLOC_TYPE_COUNT];
    CounterSet *next, *previous;
};

static pthread_mutex_t sets_lock = PTHREAD_MUTEX_INITIALIZER;
static CounterSet *sets;
static AllocSum ended[ALLOC_TYPE_COUNT];
static pthread_key_t thread_end_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread CounterSet *my_set;

static noinline _Noreturn void out_of_memory(AllocType type, size_t bytes) {
    char line[200];
    int n = snprintf(line, sizeof line, "viv: out of memory: cannot allocate %zu bytes of type %s (%s)\n", bytes,
                     alloc_type_info[type].name, alloc_type_info[type].description);
    ssize_t ignored = write(2, line, (size_t)n);
    (void)ignored;
    _exit(1);
}

/* Runs on the ending thread. Frees that other destructors make later open a new set, and this runs again. */
static void fold_set(void *data) {
    CounterSet *set = data;
    pthread_mutex_lock(&sets_lock);
    for (unsigned t = 0; t < ALLOC_TYPE_COUNT; t++) {
        ended[t].bytes += set->bytes[t];
        ended[t].blocks += set->blocks[t];
    }
    if (set->next)
        set->next->previous = set->previous;
    *(set->previous ? &set->previous->next : &sets) = set->next;
    my_set = NULL;
    pthread_mutex_unlock(&sets_lock);
    raw_free(set);
}

static void make_key(void) { pthread_key_create(&thread_end_key, fold_set); }

static noinline CounterSet *open_set(void) {
    pthread_once(&once, make_key);
    CounterSet *set = raw_calloc(sizeof *set);
    if (!set)
        out_of_memory(ALLOC_MISC, sizeof *set);
    pthread_setspecific(thread_end_key, set);
    pthread_mutex_lock(&sets_lock);
    set->next = sets;
    if (sets)
        sets->previous = set;
    sets = set;
    my_set = set;
    pthread_mutex_unlock(&sets_lock);
    return set;
}

static inline void bump(_Atomic int64_t *counter, int64_t by) {
    int64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + by, memory_order_relaxed);
}

static inline void count(AllocType type, int64_t bytes, int64_t blocks) {
    CounterSet *set = my_set;
    if (unlikely(!set))
        set = open_set();
    bump(&set->bytes[type], bytes);
    bump(&set->blocks[type], blocks);
}

/* A large block is touched from end to end by a collection or a copy: a page fault for each 4 KB takes longer than the
 * copying. Advice only: where the system has no large pages nothing changes. */
#define LARGE_BLOCK_BYTES ((size_t)8 << 20)
#define LARGE_PAGE_BYTES ((uintptr_t)2 << 20)

static noinline void ask_for_large_pages(void *ptr, size_t bytes) {
    uintptr_t start = ((uintptr_t)ptr + LARGE_PAGE_BYTES - 1) & ~(LARGE_PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t)ptr + bytes) & ~(LARGE_PAGE_BYTES - 1);
    int error = errno;
    madvise((void *)start, end - start, MADV_HUGEPAGE);
    errno = error;
}

void *mem_alloc(AllocType type, size_t bytes) {
    void *ptr = raw_malloc(bytes);
    if (unlikely(!ptr))
        out_of_memory(type, bytes);
    if (unlikely(bytes >= LARGE_BLOCK_BYTES))
        ask_for_large_pages(ptr, bytes);
    count(type, (int64_t)raw_size(ptr), 1);
    return ptr;
}

void *mem_calloc(AllocType type, size_t bytes) {
    void *ptr = raw_calloc(bytes);
    if (unlikely(!ptr))
        out_of_memory(type, bytes);
    count(type, (int64_t)raw_size(ptr), 1);
    return ptr;
}

void *mem_alloc_aligned(AllocType type, size_t bytes, size_t alignment) {
    void *ptr = raw_malloc_aligned(bytes, alignment);
    if (unlikely(!ptr))
        out_of_memory(type, bytes);
    count(type, (int64_t)raw_size(ptr), 1);
    return ptr;
}

void *mem_realloc(AllocType type, void *ptr, size_t bytes) {
    if (!ptr)
        return mem_alloc(type, bytes);
    int64_t before = (int64_t)raw_size(ptr);
    void *moved = raw_realloc(ptr, bytes ? bytes : 1); /* realloc(ptr, 0) would free it */
    if (unlikely(!moved))
        out_of_memory(type, bytes);
    count(type, (int64_t)raw_size(moved) - before, 0);
    return moved;
}

/* Beyond this no machine has anything; the allocators under us complain aloud about some such sizes. */
#define ADDRESSABLE_BYTES ((size_t)1 << 46)

void *mem_try_alloc(AllocType type, size_t bytes) {
    void *ptr = bytes < ADDRESSABLE_BYTES && !fault_now(FAULT_ALLOC) ? raw_malloc(bytes) : NULL;
    if (ptr)
        count(type, (int64_t)raw_size(ptr), 1);
    return ptr;
}

void *mem_try_calloc(AllocType type, size_t bytes) {
    void *ptr = bytes < ADDRESSABLE_BYTES ? raw_calloc(bytes) : NULL;
    if (ptr)
        count(type, (int64_t)raw_size(ptr), 1);
    return ptr;
}

void *mem_try_realloc(AllocType type, void *ptr, size_t bytes) {
    if (!ptr)
        return mem_try_alloc(type, bytes);
    int64_t before = (int64_t)raw_size(ptr);
    bool may = bytes < ADDRESSABLE_BYTES && !fault_now(FAULT_ALLOC);
    void *moved = may ? raw_realloc(ptr, bytes ? bytes : 1) : NULL;
    if (moved)
        count(type, (int64_t)raw_size(moved) - before, 0);
    return moved;
}

void mem_free(AllocType type, void *ptr) {
    if (!ptr)
        return;
    count(type, -(int64_t)raw_size(ptr), -1);
    raw_free(ptr);
}

void mem_count_mapped(AllocType type, size_t bytes) { count(type, (int64_t)bytes, 1); }
void mem_count_unmapped(AllocType type, size_t bytes) { count(type, -(int64_t)bytes, -1); }

AllocSum alloc_sum(AllocType type) {
    pthread_mutex_lock(&sets_lock);
    AllocSum sum = ended[type];
    for (CounterSet *set = sets; set; set = set->next) {
        sum.bytes += atomic_load_explicit(&set->bytes[type], memory_order_relaxed);
        sum.blocks += atomic_load_explicit(&set->blocks[type], memory_order_relaxed);
    }
    pthread_mutex_unlock(&sets_lock);
    return sum;
}
