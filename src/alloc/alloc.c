/*
 * Counts what comes and goes, over the general allocator. Where blocks are watched (alloc/maxima.h, alloc/block_map.h),
 * tells of them: of one that comes before anybody else can know it, of one that goes before its address can be given to
 * another thread.
 */
#include "alloc/alloc.h"

#include "alloc/general.h"
#include "alloc/thread_counts.h"
#include "alloc/who.h"
#include "base/fault.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

__thread uint64_t alloc_owner;
__thread const void *alloc_context;
uint32_t (*alloc_site)(const void *context);

/* The allocator's own 25 ms are shorter than the time between two collections of one large heap, each of which lets a
 * block go and asks for another: all its pages would come back by page faults. */
#define PAGES_STAY_MILLISECONDS 1000

__attribute__((constructor)) static void keep_pages(void) { raw_keep_pages(PAGES_STAY_MILLISECONDS); }

/* Memory and swap: a larger block cannot be had, which Linux says to who asks it, and not to mimalloc, which maps with
 * MAP_NORESERVE (mmap(2)): the program would be killed without a word while it fills the block. */
static size_t machine_bytes = SIZE_MAX;

__attribute__((constructor)) static void find_machine_bytes(void) {
    struct sysinfo info;
    if (sysinfo(&info) == 0)
        machine_bytes = (size_t)(info.totalram + info.totalswap) * info.mem_unit;
}

static inline bool can_be_had(size_t bytes) { return bytes <= machine_bytes; }

static inline ThreadCounts *count(AllocType type, int64_t bytes, int64_t blocks) {
    ThreadCounts *mine = thread_counts();
    count_add(&mine->held.bytes[type], bytes);
    count_add(&mine->held.blocks[type], blocks);
    return mine;
}

static inline bool is_watched(void) {
    return unlikely(maxima_on) || unlikely(atomic_load_explicit(&block_map_on, memory_order_relaxed));
}

static noinline void watch_coming(ThreadCounts *mine, AllocType type, const void *ptr, size_t asked, size_t given) {
    if (maxima_on) {
        uint32_t slack = maxima_set_slack(ptr, asked, given);
        count_add(&mine->held.slack[type], slack);
        maxima_count(&mine->maxima, &mine->held, (int64_t)(given - slack));
    }
    if (atomic_load_explicit(&block_map_on, memory_order_relaxed))
        block_map_came(&mine->map, type, ptr, asked);
}

/* What is kept of a block that may stay after all. */
typedef struct {
    uint32_t slack;
    bool is_in_map;
    Block block;
} Watched;

/* `was` is NULL where it goes for certain. */
static noinline void watch_going(ThreadCounts *mine, AllocType type, const void *ptr, size_t given, Watched *was) {
    if (maxima_on) {
        uint32_t slack = maxima_take_slack(ptr);
        count_add(&mine->held.slack[type], -(int64_t)slack);
        maxima_count(&mine->maxima, &mine->held, -(int64_t)(given - slack));
        if (was)
            was->slack = slack;
    }
    if (!atomic_load_explicit(&block_map_on, memory_order_relaxed))
        return;
    if (was)
        was->is_in_map = block_map_may_go(&mine->map, ptr, &was->block);
    else
        block_map_goes(&mine->map, ptr);
}

static noinline void watch_staying(AllocType type, const void *ptr, size_t given, const Watched *was) {
    ThreadCounts *mine = thread_counts();
    if (maxima_on) {
        uint32_t slack = was->slack ? maxima_set_slack(ptr, given - was->slack, given) : 0;
        count_add(&mine->held.slack[type], slack);
        maxima_count(&mine->maxima, &mine->held, (int64_t)(given - slack));
    }
    if (was->is_in_map)
        block_map_stays(&mine->map, &was->block);
}

static inline void *came(AllocType type, void *ptr, size_t asked) {
    size_t given = raw_size(ptr);
    ThreadCounts *mine = count(type, (int64_t)given, 1);
    if (is_watched())
        watch_coming(mine, type, ptr, asked, given);
    return ptr;
}

static inline void goes(AllocType type, void *ptr, Watched *was) {
    size_t given = raw_size(ptr);
    ThreadCounts *mine = count(type, -(int64_t)given, -1);
    if (is_watched())
        watch_going(mine, type, ptr, given, was);
}

static void stays(AllocType type, void *ptr, const Watched *was) {
    size_t given = raw_size(ptr);
    count(type, (int64_t)given, 1);
    if (is_watched())
        watch_staying(type, ptr, given, was);
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

static noinline void *alloc_large(AllocType type, size_t bytes) {
    void *ptr = can_be_had(bytes) ? raw_malloc(bytes) : NULL;
    if (!ptr)
        out_of_memory(type, bytes);
    ask_for_large_pages(ptr, bytes);
    return came(type, ptr, bytes);
}

void *mem_alloc(AllocType type, size_t bytes) {
    if (unlikely(bytes >= LARGE_BLOCK_BYTES))
        return alloc_large(type, bytes);
    void *ptr = raw_malloc(bytes);
    if (unlikely(!ptr))
        out_of_memory(type, bytes);
    return came(type, ptr, bytes);
}

void *mem_calloc(AllocType type, size_t bytes) {
    void *ptr = can_be_had(bytes) ? raw_calloc(bytes) : NULL;
    if (unlikely(!ptr))
        out_of_memory(type, bytes);
    return came(type, ptr, bytes);
}

void *mem_alloc_aligned(AllocType type, size_t bytes, size_t alignment) {
    void *ptr = raw_malloc_aligned(bytes, alignment);
    if (unlikely(!ptr))
        out_of_memory(type, bytes);
    return came(type, ptr, bytes);
}

/* A block that grows to a large one is another one in any case: the advice comes before it is touched. */
static noinline void *grow_large(void *ptr, size_t bytes) {
    size_t given = raw_size(ptr);
    if (bytes <= given)
        return raw_realloc(ptr, bytes);
    void *moved = raw_malloc(bytes);
    if (!moved)
        return NULL;
    ask_for_large_pages(moved, bytes);
    memcpy(moved, ptr, given);
    raw_free(ptr);
    return moved;
}

static void *raw_resize(void *ptr, size_t bytes) {
    if (unlikely(bytes >= LARGE_BLOCK_BYTES))
        return can_be_had(bytes) ? grow_large(ptr, bytes) : NULL;
    return raw_realloc(ptr, bytes ? bytes : 1); /* realloc(ptr, 0) would free it */
}

/* NULL: there is no such memory, and `ptr` is as it was. */
static void *resize(AllocType type, void *ptr, size_t bytes) {
    Watched was = {0};
    goes(type, ptr, &was);
    void *moved = raw_resize(ptr, bytes);
    if (likely(moved))
        return came(type, moved, bytes);
    stays(type, ptr, &was);
    return NULL;
}

void *mem_realloc(AllocType type, void *ptr, size_t bytes) {
    if (!ptr)
        return mem_alloc(type, bytes);
    void *moved = resize(type, ptr, bytes);
    if (unlikely(!moved))
        out_of_memory(type, bytes);
    return moved;
}

void *mem_try_alloc(AllocType type, size_t bytes) {
    void *ptr = can_be_had(bytes) && !fault_now(FAULT_ALLOC) ? raw_malloc(bytes) : NULL;
    if (unlikely(bytes >= LARGE_BLOCK_BYTES) && ptr)
        ask_for_large_pages(ptr, bytes);
    return ptr ? came(type, ptr, bytes) : NULL;
}

void *mem_try_alloc_foreign(AllocType type, size_t bytes) {
    void *ptr = mem_try_alloc(type, bytes);
    if (ptr != NULL && bytes >= sizeof(void *))
        *(void **)ptr = ptr;
    return ptr;
}

void *mem_try_calloc(AllocType type, size_t bytes) {
    void *ptr = can_be_had(bytes) ? raw_calloc(bytes) : NULL;
    return ptr ? came(type, ptr, bytes) : NULL;
}

void *mem_try_realloc(AllocType type, void *ptr, size_t bytes) {
    if (!ptr)
        return mem_try_alloc(type, bytes);
    return fault_now(FAULT_ALLOC) ? NULL : resize(type, ptr, bytes);
}

void mem_free(AllocType type, void *ptr) {
    if (!ptr)
        return;
    goes(type, ptr, NULL);
    raw_free(ptr);
}

static void count_pages(ThreadCounts *mine, AllocType type, int64_t bytes, int blocks) {
    count_add(&mine->held.page_bytes[type], bytes);
    count_add(&mine->held.page_blocks[type], blocks);
    if (maxima_on)
        maxima_count_pages(type, bytes, blocks);
}

void mem_count_mapped(AllocType type, const void *start, size_t bytes) {
    ThreadCounts *mine = count(type, (int64_t)bytes, 1);
    count_pages(mine, type, (int64_t)bytes, 1);
    block_map_came(&mine->map, type, start, bytes);
}

void mem_count_unmapped(AllocType type, const void *start, size_t bytes) {
    ThreadCounts *mine = count(type, -(int64_t)bytes, -1);
    count_pages(mine, type, -(int64_t)bytes, -1);
    block_map_goes(&mine->map, start);
}
