#include "alloc/workspace.h"

#include <stdatomic.h>
#include <string.h>

#include "alloc/alloc.h"
#include "alloc/pages.h"
#include "alloc/who.h"

#define KEPT_MAX 4
#define LEAST_ITEMS 64

typedef struct WorkspaceBlock {
    struct WorkspaceBlock *next;
    size_t size; /* of `bytes` */
    uint8_t *fetched; /* pages up to there were fetched ahead */
    _Alignas(16) uint8_t bytes[];
} WorkspaceBlock;
#define USUAL_BYTES (((size_t)1 << 20) - sizeof(WorkspaceBlock)) /* so the whole is a size that the allocator has */

#if __has_feature(address_sanitizer)
static size_t block_size(size_t bytes) { return bytes; }
static WorkspaceBlock *take_kept(void) { return NULL; }
static bool keep(WorkspaceBlock *block) { return false; }
#else
static _Atomic(WorkspaceBlock *) kept[KEPT_MAX];

static size_t block_size(size_t bytes) { return bytes > USUAL_BYTES ? bytes : USUAL_BYTES; }

static WorkspaceBlock *take_kept(void) {
    for (unsigned i = 0; i < KEPT_MAX; i++) {
        WorkspaceBlock *block = atomic_exchange_explicit(&kept[i], NULL, memory_order_acquire);
        if (block != NULL)
            return block;
    }
    return NULL;
}

static bool keep(WorkspaceBlock *block) {
    for (unsigned i = 0; i < KEPT_MAX && block->size == USUAL_BYTES; i++) {
        WorkspaceBlock *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&kept[i], &none, block, memory_order_release, memory_order_relaxed))
            return true;
    }
    return false;
}
#endif

static WorkspaceBlock *block_create(size_t size) {
    WorkspaceBlock *block = size == USUAL_BYTES ? take_kept() : NULL;
    if (block == NULL) {
        ALLOC_FOR_ALL;
        block = mem_alloc(ALLOC_LOADER, sizeof *block + size);
        block->size = size;
        block->fetched = block->bytes;
    }
    return block;
}

/* What has been taken is going to be written. Only whole pages of the block are. */
static noinline void fetch(Workspace *w) {
    WorkspaceBlock *block = w->blocks;
    uint8_t *end = (uint8_t *)((uintptr_t)(block->bytes + block->size) & -PAGE_BYTES);
    uint8_t *from = (uint8_t *)(((uintptr_t)block->fetched + PAGE_BYTES - 1) & -PAGE_BYTES);
    uint8_t *to = (uint8_t *)(((uintptr_t)w->at + FETCH_BYTES) & -PAGE_BYTES);
    to = to < end ? to : end;
    if (from < to)
        pages_fetch(from, (size_t)(to - from), true);
    block->fetched = w->fetched = to < end ? to : block->bytes + block->size;
}

static inline void move_on(Workspace *w, size_t bytes) {
    w->at += bytes;
    if (unlikely(w->at > w->fetched))
        fetch(w);
}

static size_t rounded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

/* What is left of the block before is not used any more, unless the new one is full at once. */
static void *take_from_new(Workspace *w, size_t bytes) {
    WorkspaceBlock *block = block_create(block_size(bytes));
    if (block->size == bytes && w->blocks != NULL) {
        block->next = w->blocks->next;
        w->blocks->next = block;
        return block->bytes;
    }
    block->next = w->blocks;
    w->blocks = block;
    w->at = block->bytes;
    w->end = block->bytes + block->size;
    w->fetched = block->fetched;
    move_on(w, bytes);
    return block->bytes;
}

void *workspace_take(Workspace *w, size_t bytes) {
    bytes = rounded(bytes > 0 ? bytes : 1);
    if ((size_t)(w->end - w->at) < bytes)
        return take_from_new(w, bytes);
    uint8_t *taken = w->at;
    move_on(w, bytes);
    return taken;
}

void *workspace_take_zeroed(Workspace *w, size_t bytes) { return memset(workspace_take(w, bytes), 0, bytes); }

void *workspace_grow(Workspace *w, void *table, size_t *capacity, size_t item_bytes) {
    size_t before = rounded(*capacity * item_bytes);
    *capacity = *capacity < LEAST_ITEMS / 2 ? LEAST_ITEMS : 2 * *capacity;
    size_t after = rounded(*capacity * item_bytes);
    bool is_last = table != NULL && (uint8_t *)table + before == w->at;
    if (is_last && (size_t)(w->end - w->at) >= after - before) {
        move_on(w, after - before);
        return table;
    }
    void *larger = workspace_take(w, after);
    if (table != NULL)
        memcpy(larger, table, before);
    return larger;
}

void workspace_end(Workspace *w) {
    for (WorkspaceBlock *block = w->blocks, *next; block != NULL; block = next) {
        next = block->next;
        if (!keep(block))
            mem_free(ALLOC_LOADER, block);
    }
    *w = (Workspace){0};
}
