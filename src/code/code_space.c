#include "code/code_space.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "alloc/alloc.h"
#include "alloc/kept_ranges.h"
#include "alloc/pages.h"
#include "base/fault.h"
#include "code/free_ranges.h"
#include "sys/thread.h"

enum { CHUNK_BYTES = 4 << 20 };

typedef struct Chunk {
    struct Chunk *next;
    uint8_t *address, *written;
    size_t size, used;
    size_t new_from; /* nobody has had what stands from there on */
    size_t fetched;  /* pages up to there were fetched ahead */
    size_t large;    /* large pages up to there were fetched */
    FreeRanges free;
} Chunk;

static Mutex space_lock = MUTEX_INITIALIZER(LOCK_CODE_SPACE);
static Chunk *chunks[CODE_SPACE_KINDS];
static KeptRanges kept[CODE_SPACE_KINDS]; /* counted as used in their chunks */

static size_t round_up(size_t size, size_t to) { return (size + to - 1) & ~(to - 1); }
static size_t round_down(size_t size, size_t to) { return size & ~(to - 1); }

/* --- mappings ---------------------------------------------------------------------------------------------------- */

static void say_once(const char *what, const char *then) {
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set_explicit(&is_said, memory_order_relaxed))
        fprintf(stderr, "viv: %s: %s\n", what, then);
}

/* Too little memory, or too many mappings, are no rule of the system's. */
static void say_forbidden(const char *call, int error) {
    char what[120];
    snprintf(what, sizeof what, "the system forbids memory that is executed (%s: %s)", call, strerror(error));
    if (error != ENOMEM)
        say_once(what, "code is interpreted");
}

/* Linux looks for such a place from a random one of the first 32 MB on, drawn anew at each call (its find_start_end):
 * what is free before that is not found. A chunk that is free there is found at least one time in eight. */
#define LOW_TRIES 128
#define END_OF_LOW ((uintptr_t)1 << 31)
static uint8_t *map_low(size_t size, int flags) {
    if (fault_now(FAULT_MMAP))
        return NULL;
    void *address = MAP_FAILED;
    for (int i = 0; i < LOW_TRIES && address == MAP_FAILED; i++)
        address = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    return address == MAP_FAILED ? NULL : address;
}

/* Of a shared mapping: once more, anywhere. */
static uint8_t *map_again(uint8_t *address, size_t size) {
    void *again = mremap(address, 0, size, MREMAP_MAYMOVE);
    if (again != MAP_FAILED)
        return again;
    say_forbidden("mremap", errno);
    return NULL;
}

static bool map_native(Chunk *c) {
    c->address = map_low(c->size, MAP_SHARED | MAP_NORESERVE);
    c->written = c->address != NULL ? map_again(c->address, c->size) : NULL;
    if (c->written != NULL && mprotect(c->address, c->size, PROT_READ | PROT_EXEC) == 0)
        return true;
    if (c->written != NULL) {
        say_forbidden("mprotect", errno);
        munmap(c->written, c->size);
    }
    if (c->address != NULL)
        munmap(c->address, c->size);
    return false;
}

/* Where large pages fit, if that is free. */
static uint8_t *map_aligned(uint8_t *address, size_t size, int flags) {
    uint8_t *aligned = (uint8_t *)round_up((uintptr_t)address, LARGE_PAGE_BYTES);
    if (aligned == address || (uintptr_t)aligned + size > END_OF_LOW || munmap(address, size) != 0)
        return address;
    void *again = mmap(aligned, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (again == aligned)
        return again;
    if (again != MAP_FAILED) /* so it is before Linux 4.17 */
        munmap(again, size);
    return map_low(size, flags);
}

static bool map_words(Chunk *c) {
    int flags = MAP_PRIVATE | MAP_NORESERVE;
    c->address = map_low(c->size, flags);
    if (c->address != NULL)
        c->address = map_aligned(c->address, c->size, flags);
    c->written = c->address;
    return c->address != NULL;
}

/* False: it stays as it is. Chunks that lie side by side may be one mapping to the system, which is cut then, and that
 * can be one too many. */
static bool unmap(const Chunk *c) {
    if (munmap(c->address, c->size) != 0)
        return false;
    if (c->written != c->address)
        munmap(c->written, c->size);
    return true;
}

/* --- chunks ------------------------------------------------------------------------------------------------------ */

static Chunk *chunk_create(CodeSpaceKind kind, size_t bytes) {
    Chunk made = {.next = chunks[kind], .size = round_up(bytes, CHUNK_BYTES)};
    if (!(kind == CODE_SPACE_NATIVE ? map_native : map_words)(&made))
        return NULL;
    free_ranges_init(&made.free, made.size);
    Chunk *c = chunks[kind] = mem_alloc(ALLOC_CODE, sizeof *c);
    *c = made;
    return c;
}

/* Pages for a span that was taken: of what is new some more, as others will want those. Native code has no large ones:
 * the system has none for shared mappings, mostly. */
typedef struct {
    uint8_t *address, *written;
    size_t size;
    char *chunk; /* NULL, or large ones for it: from here to there */
    size_t large_from, large_to;
} Pages;

static Pages pages_of(Chunk *c, size_t start, size_t size) {
    size_t from = round_down(start, PAGE_BYTES), to = round_up(start + size, PAGE_BYTES);
    if (start + size > c->fetched) {
        from = c->fetched < start ? c->fetched : from;
        to = c->fetched = round_up(start + size, FETCH_BYTES);
    }
    Pages pages = {.address = c->address + from, .written = c->written + from, .size = to - from};
    if (c->written == c->address && start + size > c->large) {
        pages.chunk = (char *)c->address;
        pages.large_from = c->large;
        pages.large_to = c->large = round_up(start + size, LARGE_PAGE_BYTES);
    }
    return pages;
}

/* Small spans stand in pages that others have, mostly. Where large pages were fetched small ones are asked for all the
 * same: not every system has large ones. */
static void fetch(Pages pages) {
    if (pages.chunk != NULL)
        pages_fetch_large(pages.chunk, pages.large_from, pages.large_to);
    if (pages.size < FETCH_BYTES / 4)
        return;
    pages_fetch(pages.written, pages.size, true);
    if (pages.written != pages.address)
        pages_fetch(pages.address, pages.size, false);
}

static bool take(Chunk *c, size_t size, CodeSpan *span, Pages *pages) {
    size_t start;
    if (c->size - c->used < size || !free_ranges_take(&c->free, size, &start))
        return false;
    *span = (CodeSpan){c->address + start, c->written + start, size, start >= c->new_from};
    *pages = pages_of(c, start, size);
    c->used += size;
    if (start + size > c->new_from)
        c->new_from = start + size;
    return true;
}

static CodeSpan take_anywhere(CodeSpaceKind kind, size_t size, Pages *pages) {
    CodeSpan span = {0};
    for (Chunk *c = chunks[kind]; c != NULL; c = c->next)
        if (take(c, size, &span, pages))
            return span;
    Chunk *c = chunk_create(kind, size);
    require(c == NULL || take(c, size, &span, pages));
    return span;
}

static Chunk **chunk_of(CodeSpaceKind kind, const uint8_t *address) {
    Chunk **at = &chunks[kind];
    while ((size_t)(address - (*at)->address) >= (*at)->size)
        at = &(*at)->next;
    return at;
}

static CodeSpan take_kept(CodeSpaceKind kind, size_t size) {
    uint8_t *address = (uint8_t *)kept_ranges_take(&kept[kind], size);
    if (address == NULL)
        return (CodeSpan){0};
    const Chunk *c = *chunk_of(kind, address);
    return (CodeSpan){address, c->written + (address - c->address), size, false};
}

CodeSpan code_space_take(CodeSpaceKind kind, size_t bytes) {
    Pages pages = {0};
    size_t size = round_up(bytes > 0 ? bytes : 1, CODE_SPACE_UNIT);
    mutex_lock(&space_lock);
    CodeSpan span = take_kept(kind, size);
    if (span.address == NULL)
        span = take_anywhere(kind, size, &pages);
    mutex_unlock(&space_lock);
    fetch(pages);
    if (span.address != NULL)
        mem_count_mapped(ALLOC_CODE, span.address, span.size);
    else if (kind == CODE_SPACE_NATIVE)
        say_once("there is no room for more native code", "what has none yet is interpreted");
    return span;
}

/* Of the pages that `range` touches, those that nothing else stands in now. That they are not taken back costs memory,
 * and nothing else. */
static void give_pages(CodeSpaceKind kind, const Chunk *c, FreeRange range, FreeRange around) {
    size_t start = round_down(range.start, PAGE_BYTES), end = round_up(range.start + range.size, PAGE_BYTES);
    size_t from = round_up(around.start, PAGE_BYTES), to = round_down(around.start + around.size, PAGE_BYTES);
    start = start > from ? start : from;
    end = end < to ? end : to;
    if (start < end)
        (void)madvise(c->written + start, end - start, kind == CODE_SPACE_NATIVE ? MADV_REMOVE : MADV_DONTNEED);
}

static void give(void *owner, char *start, size_t size) {
    CodeSpaceKind kind = *(const CodeSpaceKind *)owner;
    Chunk **at = chunk_of(kind, (uint8_t *)start), *c = *at;
    bool is_only = chunks[kind]->next == NULL;
    FreeRange range = {(size_t)((uint8_t *)start - c->address), size};
    FreeRange around = free_ranges_give(&c->free, range);
    c->used -= size;
    if (c->used > 0 || is_only || !unmap(c)) {
        give_pages(kind, c, range, around);
        return;
    }
    *at = c->next;
    free_ranges_release(&c->free);
    mem_free(ALLOC_CODE, c);
}

void code_space_give_back(CodeSpaceKind kind, CodeSpan span) {
    if (span.address == NULL)
        return;
    mem_count_unmapped(ALLOC_CODE, span.address, span.size);
    mutex_lock(&space_lock);
    kept_ranges_put(&kept[kind], (char *)span.address, span.size, give, &kind);
    mutex_unlock(&space_lock);
}
