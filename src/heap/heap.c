/*
 * Life of a heap, its fragments, and the sizes that its blocks may have. Collecting is in heap/gc.c.
 */
#include "heap/heap.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/refc_binary.h"

#define STEP_COUNT 137
#define STEP_FIBONACCI_END 833026 /* the last one that is a sum; from there on a fifth more each time */
#define FRAGMENT_MIN_WORDS 64
#define FRAGMENT_MAX_SPARE_WORDS 32768

/* As seen in process_info(P, heap_size) with min_heap_size on the stock runtime: 12, 38, 51, 90, 142, 233, ... */
static size_t steps[STEP_COUNT];

__attribute__((constructor)) static void fill_steps(void) {
    steps[0] = 12;
    steps[1] = 38;
    for (unsigned i = 2; i < STEP_COUNT; i++)
        steps[i] =
            steps[i - 1] < STEP_FIBONACCI_END ? steps[i - 1] + steps[i - 2] + 1 : steps[i - 1] + steps[i - 1] / 5;
}

static unsigned step_index(size_t words) {
    unsigned low = 0, high = STEP_COUNT - 1;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (steps[middle] < words)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t heap_step(size_t words) { return steps[step_index(words)]; }

size_t heap_step_above(size_t words) {
    unsigned i = step_index(words);
    return steps[i + 1 < STEP_COUNT ? i + 1 : i];
}

/* The newest fragment's spare room first; then a fragment that grows with what has been built outside the heap. */
static Term *heap_overflow(Area *area, size_t words) {
    Heap *heap = (Heap *)area;
    Fragment *f = heap->fragments;
    if (f == NULL || f->capacity - f->used < words) {
        size_t spare =
            heap->fragment_words < FRAGMENT_MAX_SPARE_WORDS ? heap->fragment_words : FRAGMENT_MAX_SPARE_WORDS;
        f = fragment_create(words + FRAGMENT_MIN_WORDS + spare);
        f->next = heap->fragments;
        heap->fragments = f;
    }
    Term *p = f->words + f->used;
    f->used += words;
    heap->fragment_words += words;
    heap->outside_words += words;
    return p;
}

void heap_init(Heap *heap, size_t min_words, size_t min_virtual_words, uint16_t fullsweep_after) {
    size_t words = heap_step(min_words);
    *heap = (Heap){.min_words = words, .min_virtual_words = min_virtual_words, .fullsweep_after = fullsweep_after};
    heap->start = mem_alloc(ALLOC_HEAP, words * sizeof(Term));
    heap->end = heap->start + words;
    heap->mature = heap->start;
    heap->area.top = heap->start;
    heap->area.limit = heap->end;
    heap->area.overflow = heap_overflow;
    heap->virtual_limit = heap->old_virtual_limit = min_virtual_words * sizeof(Word);
}

void heap_init_loose(Heap *heap) { *heap = (Heap){.area.overflow = heap_overflow}; }

Fragment *heap_take_fragments(Heap *loose) {
    Fragment *chain = loose->fragments;
    if (chain != NULL) {
        chain->off_heap = loose->area.off_heap;
        chain->off_heap_bytes = loose->area.off_heap_bytes;
    }
    heap_init_loose(loose);
    return chain;
}

#define UNITS_TO_RELEASE 20 /* of long work */

static void release_off_heap(OffHeap *list) {
    while (list != NULL) {
        OffHeap *next = list->next;
        long_work_count(UNITS_TO_RELEASE);
        off_heap_release(list);
        list = next;
    }
}

void heap_release(Heap *heap) {
    release_off_heap(heap->area.off_heap);
    release_off_heap(heap->old_off_heap);
    fragments_free(heap->fragments);
    mem_free(ALLOC_HEAP, heap->start);
    mem_free(ALLOC_OLD_HEAP, heap->old_start);
    heap->start = heap->end = heap->mature = heap->area.top = heap->area.limit = NULL;
    heap->old_start = heap->old_top = heap->old_end = NULL;
    heap->area.off_heap = heap->old_off_heap = NULL;
    heap->fragments = NULL;
    heap->fragment_words = 0;
}

size_t heap_size_words(const Heap *heap) { return (size_t)(heap->end - heap->start); }

size_t heap_total_words(const Heap *heap) {
    return heap_size_words(heap) + (size_t)(heap->old_end - heap->old_start) + heap->fragment_words;
}

size_t heap_used_words(const Heap *heap) {
    size_t young = (size_t)(heap->area.top - heap->start) + (size_t)(heap->end - heap->area.limit);
    return young + (size_t)(heap->old_top - heap->old_start) + heap->fragment_words;
}

/* Whoever asks for so many words is about to fill them. */
#define UNITS_PER_WORD 4

Fragment *fragment_create(size_t words) {
    long_work_count_large(words, UNITS_PER_WORD);
    Fragment *f = mem_alloc(ALLOC_FRAGMENT, sizeof(Fragment) + words * sizeof(Term));
    *f = (Fragment){.capacity = words};
    return f;
}

void fragment_free(Fragment *fragment) {
    release_off_heap(fragment->off_heap);
    mem_free(ALLOC_FRAGMENT, fragment);
}

void fragments_free(Fragment *newest) {
    for (Fragment *f = newest, *next; f != NULL; f = next) {
        next = f->next;
        fragment_free(f);
    }
}

/* The newest fragment of the chain is the one that area.top and area.limit stand in. */
static Term *fragment_area_overflow(Area *area, size_t words) {
    FragmentArea *fa = (FragmentArea *)area;
    size_t last = 0;
    if (fa->chain != NULL) {
        fa->chain->used = (size_t)(area->top - fa->chain->words);
        last = fa->chain->capacity < FRAGMENT_MAX_SPARE_WORDS ? fa->chain->capacity : FRAGMENT_MAX_SPARE_WORDS;
    }
    Fragment *f = fragment_create(words + last);
    f->next = fa->chain;
    fa->chain = f;
    area->top = f->words + words;
    area->limit = f->words + f->capacity;
    return f->words;
}

void fragment_area_init(FragmentArea *fa, size_t words) {
    *fa = (FragmentArea){.area.overflow = fragment_area_overflow};
    if (words == 0)
        return;
    fa->chain = fragment_create(words);
    fa->area.top = fa->chain->words;
    fa->area.limit = fa->chain->words + words;
}

Fragment *fragment_area_finish(FragmentArea *fa) {
    Fragment *f = fa->chain;
    if (f == NULL)
        return NULL;
    f->used = (size_t)(fa->area.top - f->words);
    f->off_heap = fa->area.off_heap;
    f->off_heap_bytes = fa->area.off_heap_bytes;
    fa->chain = NULL;
    return f;
}

void fragment_area_drop(FragmentArea *fa) { fragments_free(fragment_area_finish(fa)); }

/* The off-heap objects join the heap's list, so that a collection sweeps one list for the young generation. */
static void adopt_off_heap(Heap *heap, Fragment *f) {
    if (f->off_heap == NULL)
        return;
    OffHeap *last = f->off_heap;
    while (last->next != NULL)
        last = last->next;
    last->next = heap->area.off_heap;
    heap->area.off_heap = f->off_heap;
    heap->area.off_heap_bytes += f->off_heap_bytes;
    f->off_heap = NULL;
    f->off_heap_bytes = 0;
}

void heap_adopt_fragments(Heap *heap, Fragment *chain) {
    if (chain == NULL)
        return;
    Fragment *f = chain;
    for (;;) {
        adopt_off_heap(heap, f);
        heap->fragment_words += f->used;
        f->capacity = f->used; /* nothing more is built in it: what hangs below is not looked at by heap_overflow */
        if (f->next == NULL)
            break;
        f = f->next;
    }
    f->next = heap->fragments;
    heap->fragments = chain;
}
