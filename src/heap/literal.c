/*
 * Literal areas are whole pages within the one reserved span: addresses come from a first-fit list of free ranges. The
 * beginning of the span is accessible, up to the end of the highest area that there ever was, and the memory of free
 * ranges is given back, but for what alloc/kept_ranges.h keeps. Small areas lie in slabs: a page is cut into slots of
 * one size, and comes and goes with the first and the last area in it. Creating and freeing areas is rare; both take
 * the lock LITERAL_RANGES.
 *
 * Pages that are accessible lie in one mapping of the system, which allows some 65,000 of them: a program may have many
 * more areas, with gaps in between. Only debug and sanitizer builds make free ranges inaccessible, so that who uses a
 * literal that is gone falls there and then; and free slots useless.
 *
 * Where the program's address space is limited (RLIMIT_AS) less than the span is reserved: its beginning, where the
 * system lays nothing of its own within the length of the span, for it goes down from the stack, and up from the
 * program.
 */
#include "heap/literal.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "alloc/general.h"
#include "alloc/kept_ranges.h"
#include "alloc/pages.h"
#include "base/fault.h"
#include "sys/thread.h"
#include "term/refc_binary.h"

#define GRANULE_WORDS (((size_t)1 << LITERAL_GRANULE_SHIFT) / sizeof(Term))

LiteralRange literal_counted, literal_leaving;

typedef struct FreeRange {
    struct FreeRange *next;
    char *start;
    size_t bytes;
} FreeRange;

char *literal_span_start;
static size_t span_bytes;
static FreeRange *free_ranges; /* by address */
static KeptRanges kept;        /* free, and not among them; under the lock */
static Mutex ranges_lock = MUTEX_INITIALIZER(LOCK_LITERAL_RANGES);

#define LEAST_BYTES ((size_t)1 << 28)
#define FAR_FROM_ALL ((void *)((uintptr_t)1 << 45))

/* An eighth of what there may be of address space. */
static size_t wanted_bytes(void) {
    struct rlimit limit;
    size_t bytes = LITERAL_SPAN_BYTES;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        while (bytes > LEAST_BYTES && bytes > limit.rlim_cur / 8)
            bytes /= 2;
    return bytes;
}

static void *reserve(void *at, size_t bytes, int flags) {
    return mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

void literal_span_init(void) {
    if (literal_span_start != NULL)
        return;
    require(PAGE_BYTES % (size_t)sysconf(_SC_PAGESIZE) == 0);
    size_t bytes = wanted_bytes();
    void *span = MAP_FAILED;
    if (bytes == LITERAL_SPAN_BYTES)
        span = reserve(NULL, bytes, 0);
    while (span == MAP_FAILED && (span = reserve(FAR_FROM_ALL, bytes, MAP_FIXED_NOREPLACE)) == MAP_FAILED &&
           bytes > LEAST_BYTES)
        bytes /= 2;
    if (span == MAP_FAILED)
        out_of_memory(ALLOC_LITERAL_TERMS, bytes);
    literal_span_start = span;
    span_bytes = bytes;
    free_ranges = mem_alloc(ALLOC_LITERAL, sizeof(FreeRange));
    *free_ranges = (FreeRange){.start = span, .bytes = bytes};
}

static char *range_take(size_t bytes) {
    for (FreeRange **link = &free_ranges; *link != NULL; link = &(*link)->next) {
        FreeRange *range = *link;
        if (range->bytes < bytes)
            continue;
        char *start = range->start;
        range->start += bytes;
        range->bytes -= bytes;
        if (range->bytes == 0) {
            *link = range->next;
            mem_free(ALLOC_LITERAL, range);
        }
        return start;
    }
    out_of_memory(ALLOC_LITERAL_TERMS, bytes);
}

static void range_put(char *start, size_t bytes) {
    FreeRange *before = NULL, **link = &free_ranges;
    while (*link != NULL && (*link)->start < start) {
        before = *link;
        link = &before->next;
    }
    FreeRange *after = *link;
    if (before != NULL && before->start + before->bytes == start) {
        before->bytes += bytes;
        if (after != NULL && start + bytes == after->start) {
            before->bytes += after->bytes;
            before->next = after->next;
            mem_free(ALLOC_LITERAL, after);
        }
    } else if (after != NULL && start + bytes == after->start) {
        after->start = start;
        after->bytes += bytes;
    } else {
        FreeRange *range = mem_alloc(ALLOC_LITERAL, sizeof(FreeRange));
        *range = (FreeRange){after, start, bytes};
        *link = range;
    }
}

#if defined(VIV_DEBUG) || defined(VIV_SANITIZE)
#define KEEPS_PAGES false
static bool make_accessible(char *start, size_t bytes) { return mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0; }
/* New anonymous pages in place of the old ones: the addresses stay ours and trap. The system may have no room to note
 * another boundary: then they do not trap, and the memory goes back all the same. */
static void give_back(char *start, size_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (fault_now(FAULT_MMAP) || mmap(start, bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED)
        madvise(start, bytes, MADV_DONTNEED);
}
#else
#define KEEPS_PAGES true
static size_t accessible; /* bytes from the start; under the lock */
static bool make_accessible(char *start, size_t bytes) {
    uintptr_t span = (uintptr_t)literal_span_start;
    if ((uintptr_t)start + bytes <= span + accessible)
        return true;
    size_t needed = (((uintptr_t)start + bytes + LARGE_PAGE_BYTES - 1) & -LARGE_PAGE_BYTES) - span;
    needed = needed < span_bytes ? needed : span_bytes;
    char *more = literal_span_start + accessible;
    if (mprotect(more, needed - accessible, PROT_READ | PROT_WRITE) != 0)
        return false;
    pages_fetch_large(literal_span_start, accessible, needed);
    accessible = needed;
    return true;
}
static void give_back(char *start, size_t bytes) { madvise(start, bytes, MADV_DONTNEED); }
#endif

static size_t page_bytes(size_t words) { return (words * sizeof(Term) + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1); }

static Term *literal_overflow(Area *area, size_t words) {
    panic("a literal area was made too small: %zu words wanted, %zu left", words, (size_t)(area->limit - area->top));
}

LiteralRange literal_range(const LiteralArea *la) {
    size_t words = (size_t)(la->end - la->start);
    return words == 0 ? 0 : literal_granule(la->start) << 32 | (words + GRANULE_WORDS - 1) / GRANULE_WORDS;
}

LiteralRange literal_range_join(LiteralRange a, LiteralRange b) {
    if (a == 0 || b == 0)
        return a | b;
    uint64_t start = a >> 32 < b >> 32 ? a >> 32 : b >> 32;
    uint64_t a_end = (a >> 32) + (uint32_t)a, b_end = (b >> 32) + (uint32_t)b;
    return start << 32 | ((a_end > b_end ? a_end : b_end) - start);
}

_Atomic(LiteralMarks *) literal_marks[LITERAL_MARK_BLOCKS];

static LiteralMarks *marks_of(size_t granule) {
    _Atomic(LiteralMarks *) *place = &literal_marks[granule >> LITERAL_MARKS_SHIFT];
    LiteralMarks *block = atomic_load_explicit(place, memory_order_relaxed);
    if (block == NULL) {
        block = mem_calloc(ALLOC_LITERAL, ((size_t)1 << LITERAL_MARKS_SHIFT) / 8);
        atomic_store_explicit(place, block, memory_order_release);
    }
    return block + (granule & (((size_t)1 << LITERAL_MARKS_SHIFT) - 1)) / 64;
}

/* A word of marks at a time. Nobody else writes: they are read, changed, and stored. */
static void set_marks(LiteralRange range, bool on) {
    for (size_t at = range >> 32, end = at + (uint32_t)range; at < end;) {
        size_t stop = (at | 63) + 1 < end ? (at | 63) + 1 : end;
        uint64_t bits = (stop - at == 64 ? ~(uint64_t)0 : ((uint64_t)1 << (stop - at)) - 1) << at % 64;
        LiteralMarks *word = marks_of(at);
        uint64_t before = atomic_load_explicit(word, memory_order_relaxed);
        atomic_store_explicit(word, on ? before | bits : before & ~bits, memory_order_relaxed);
        at = stop;
    }
}

void literal_mark(const LiteralArea *la) { set_marks(literal_range(la), true); }
void literal_unmark(const LiteralArea *la) { set_marks(literal_range(la), false); }

/* *are_there, unless it is NULL: whether they have been in memory all the while. */
static char *pages_take(size_t bytes, bool *are_there) {
    char *start = kept_ranges_take(&kept, bytes);
    if (are_there != NULL)
        *are_there = start != NULL;
    if (start == NULL)
        start = range_take(bytes);
    if (!make_accessible(start, bytes))
        panic("no memory for %zu bytes of literals", bytes);
    mem_count_mapped(ALLOC_LITERAL_TERMS, start, bytes);
    return start;
}

/* Nobody else has them: they go to the system without the lock, and then the addresses to the free ones. */
static void release_locked(void *owner, char *start, size_t bytes) {
    mutex_unlock(&ranges_lock);
    give_back(start, bytes);
    mutex_lock(&ranges_lock);
    range_put(start, bytes);
}

static void pages_put(char *start, size_t bytes) {
    mem_count_unmapped(ALLOC_LITERAL_TERMS, start, bytes);
    mutex_lock(&ranges_lock);
    if (KEEPS_PAGES)
        kept_ranges_put(&kept, start, bytes, release_locked, NULL);
    else
        release_locked(NULL, start, bytes);
    mutex_unlock(&ranges_lock);
}

/* Sizes of slots, in granules: steps of one, and from FINE on of FINE. */
enum { FINE = 8, SLOT_MAX = 64, SIZES = FINE + SLOT_MAX / FINE, SLOTS_MAX = 256 };
_Static_assert(SLOTS_MAX << LITERAL_GRANULE_SHIFT == PAGE_BYTES, "a page has a slot for each granule at most");

typedef struct LiteralSlab {
    struct LiteralSlab *next, **place; /* of those of its size that have room; place NULL: it is full */
    char *page;
    size_t slot_bytes;
    unsigned used;
    uint64_t taken[SLOTS_MAX / 64];
} LiteralSlab;
static LiteralSlab *with_room[SIZES]; /* under the lock, and all that they are */

static unsigned granules_of(size_t words) { return (unsigned)((words + GRANULE_WORDS - 1) / GRANULE_WORDS); }
static unsigned size_of(unsigned granules) {
    return granules <= FINE ? granules - 1 : FINE + (granules - 1) / FINE - 1;
}
static size_t slot_bytes_of(unsigned size) {
    return (size_t)(size < FINE ? size + 1 : (size - FINE + 2) * FINE) << LITERAL_GRANULE_SHIFT;
}

static void slab_link(LiteralSlab *s, LiteralSlab **place) {
    s->next = *place;
    s->place = place;
    if (s->next != NULL)
        s->next->place = &s->next;
    *place = s;
}

static void slab_unlink(LiteralSlab *s) {
    *s->place = s->next;
    if (s->next != NULL)
        s->next->place = s->place;
    s->place = NULL;
}

static LiteralSlab *slab_create(size_t slot_bytes) {
    LiteralSlab *s = mem_calloc(ALLOC_LITERAL, sizeof *s);
    s->page = pages_take(PAGE_BYTES, NULL);
    s->slot_bytes = slot_bytes;
    return s;
}

static unsigned first_free(const LiteralSlab *s) {
    unsigned i = 0;
    while (s->taken[i] == ~(uint64_t)0)
        i++;
    return 64 * i + (unsigned)__builtin_ctzll(~s->taken[i]);
}

static char *slot_take(LiteralSlab *s) {
    unsigned slot = first_free(s);
    s->taken[slot / 64] |= (uint64_t)1 << slot % 64;
    if (++s->used == PAGE_BYTES / s->slot_bytes)
        slab_unlink(s);
    return s->page + slot * s->slot_bytes;
}

/* True: it was the last one, and the slab is the caller's. */
static bool slot_put(LiteralSlab *s, const char *start) {
    size_t slot = (size_t)(start - s->page) / s->slot_bytes;
    s->taken[slot / 64] &= ~((uint64_t)1 << slot % 64);
    if (s->place == NULL)
        slab_link(s, &with_room[size_of((unsigned)(s->slot_bytes >> LITERAL_GRANULE_SHIFT))]);
    if (--s->used > 0)
        return false;
    slab_unlink(s);
    return true;
}

#if defined(VIV_DEBUG) || defined(VIV_SANITIZE)
static void spoil(char *start, size_t bytes) { memset(start, 0x5a, bytes); }
#else
static void spoil(char *start, size_t bytes) {}
#endif

static void small_put(LiteralSlab *s, char *start) {
    spoil(start, s->slot_bytes);
    mutex_lock(&ranges_lock);
    bool is_empty = slot_put(s, start);
    mutex_unlock(&ranges_lock);
    if (!is_empty)
        return;
    pages_put(s->page, PAGE_BYTES);
    mem_free(ALLOC_LITERAL, s);
}

static LiteralSlab *slab_with_room(unsigned granules) {
    LiteralSlab **place = &with_room[size_of(granules)];
    if (*place == NULL)
        slab_link(slab_create(slot_bytes_of(size_of(granules))), place);
    return *place;
}

static void words_take(LiteralArea *la, size_t words) {
    char *start;
    bool are_there = true;
    mutex_lock(&ranges_lock);
    if (words <= SLOT_MAX * GRANULE_WORDS) {
        la->slab = slab_with_room(granules_of(words));
        start = slot_take(la->slab);
    } else {
        start = pages_take(page_bytes(words), &are_there);
    }
    mutex_unlock(&ranges_lock);
    if (!are_there)
        pages_fetch_within(start, page_bytes(words));
    la->start = (Term *)(void *)start;
    la->end = la->start + words;
}

size_t literal_area_bytes(const LiteralArea *la) {
    return la->slab != NULL ? la->slab->slot_bytes : page_bytes((size_t)(la->end - la->start));
}

LiteralArea *literal_area_create_in(size_t struct_bytes, size_t words) {
    LiteralArea *la = mem_calloc(ALLOC_LITERAL, struct_bytes);
    if (words > 0)
        words_take(la, words);
    la->area.top = la->start;
    la->area.limit = la->end;
    la->area.overflow = literal_overflow;
    la->owner = NON_VALUE;
    la->born = birth_next();
    return la;
}

LiteralArea *literal_area_create(size_t words) { return literal_area_create_in(sizeof(LiteralArea), words); }

void literal_area_free(LiteralArea *la) {
    for (OffHeap *object = la->area.off_heap, *next; object != NULL; object = next) {
        next = object->next;
        off_heap_release(object);
    }
    if (la->slab != NULL)
        small_put(la->slab, (char *)la->start);
    else if (la->start != NULL)
        pages_put((char *)la->start, literal_area_bytes(la));
    mem_free(ALLOC_LITERAL, la);
}
