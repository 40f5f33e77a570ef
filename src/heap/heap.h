/*
 * The heap of one process: a young block that also holds the stack, an old block, and fragments.
 *
 *      start            mature        area.top      area.limit             end
 *        | survived once  | new terms    |    free     | stack (grows down)  |
 *        +----------------+--------------+-------------+---------------------+
 *
 * area.limit is the stack top, E: there is no second copy of it while C code runs. The interpreter keeps top and limit
 * in machine registers and stores both before any call into C that may build terms (and reloads them after).
 *
 * When a builder does not find room, area_alloc hangs a Fragment on the heap; terms never move until heap_collect,
 * which only a process's own thread calls, at points where the Rootset is complete. After a collection there are no
 * fragments. Literals (heap/literal.h) are never copied by a collection or a send: heap_collect asks `is_literal`.
 *
 * One writer: the thread that runs the process (or the one that creates it, before it is published).
 */
#ifndef VIV_HEAP_HEAP_H
#define VIV_HEAP_HEAP_H

#include "term/area.h"

/* A block of terms outside a heap: a message's data, or what did not fit. words[0..used) are complete objects. */
typedef struct Fragment Fragment;
struct Fragment {
    Fragment *next;
    OffHeap *off_heap; /* owned: released with the fragment unless taken over by a heap */
    size_t off_heap_bytes;
    size_t capacity, used; /* words */
    Term words[];
};

typedef struct {
    Area area; /* must be first */
    Term *start, *end;
    Term *mature;                            /* below: has survived one collection */
    Term *old_start, *old_top, *old_end;     /* NULL when there is no old heap */
    OffHeap *old_off_heap;
    Fragment *fragments;                     /* newest first */
    size_t fragment_words;
    size_t virtual_limit, old_virtual_limit; /* bytes of off-heap data that ask for a collection */
    size_t old_off_heap_bytes;
    size_t min_words, min_virtual_words;
    uint16_t minor_count, fullsweep_after;   /* minor collections since the last major one */
    bool need_fullsweep;
    bool is_collected;                       /* it was, once */
    bool is_tight;                           /* the next collection takes a larger young block */
    bool computes;                           /* set before a collection: its owner does, without a pause */
    bool is_grown;                           /* the young block is larger for that, until its owner waits */
    size_t outside_words;                    /* built in fragments, not received, since the last collection */
    size_t max_words;                        /* max_heap_size; 0: none */
    size_t words_beside;                     /* that count like fragments then, and are not collected */
    uint8_t max_flags;                       /* HEAP_MAX_KILL, HEAP_MAX_LOG, HEAP_MAX_SHARED */
} Heap;

/* What is alive besides the stack: ranges of words that hold terms (return addresses and catches allowed). */
typedef struct {
    Term *start;
    size_t count;
} RootRange;
#define ROOTSET_MAX 16
typedef struct {
    RootRange range[ROOTSET_MAX];
    unsigned count;
} Rootset;
static inline void rootset_add(Rootset *roots, Term *start, size_t count) {
    if (count == 0)
        return;
    require(roots->count < ROOTSET_MAX);
    roots->range[roots->count++] = (RootRange){start, count};
}

#define HEAP_DEFAULT_WORDS 233
#define HEAP_DEFAULT_VIRTUAL_WORDS 46422
/* HEAP_MAX_SHARED: what binaries off the heap keep alive counts too. */
enum { HEAP_MAX_KILL = 1, HEAP_MAX_LOG = 2, HEAP_MAX_SHARED = 4 };
/* Words that must stay free between top and limit beyond what an instruction asked for: return address, and slack. */
#define STACK_RESERVE 4

void heap_init(Heap *heap, size_t min_words, size_t min_virtual_words, uint16_t fullsweep_after);
/* Frees all blocks and fragments and releases everything off-heap. */
void heap_release(Heap *heap);
/* One without blocks, and never collected: what is built in it hangs on as fragments, until they are taken out. */
void heap_init_loose(Heap *heap);
Fragment *heap_take_fragments(Heap *loose);

/* COLLECT_RESULT: like COLLECT_AUTO, for what the stock runtime builds beside the heap, and collects afterwards.
 * COLLECT_REST: the owner of one that is_grown comes to wait; of others nothing is collected. */
typedef enum {
    COLLECT_AUTO,
    COLLECT_MINOR,
    COLLECT_MAJOR,
    COLLECT_HIBERNATE,
    COLLECT_RESULT,
    COLLECT_REST
} CollectKind;
typedef enum { COLLECTED, COLLECT_OVER_LIMIT } CollectResult;
/*
 * Collects, so that afterwards `need` words (plus STACK_RESERVE) are free between top and limit. Grows and shrinks in
 * the steps of the stock runtime. COLLECT_OVER_LIMIT: the blocks in use during the collection exceed max_words. With
 * HEAP_MAX_KILL in max_flags `need` may not be free then, and the process must exit; without it the collection was
 * made. `*reductions` is lowered by the work done.
 */
CollectResult heap_collect(Heap *heap, Rootset *roots, size_t need, CollectKind kind, int64_t *reductions);

/* Will a collection of this kind be a major one? */
bool heap_wants_major(const Heap *heap, CollectKind kind);

/* The heap below the free words, the stack above. */
static inline bool heap_is_in_order(const Heap *h) {
    return h->start <= h->area.top && h->area.top <= h->area.limit && h->area.limit <= h->end;
}

/* Should a collection run although the next need would fit? (fragments hang on, or much off-heap data was built.) */
static inline bool heap_wants_collection(const Heap *heap) {
    return heap->fragment_words > (size_t)(heap->end - heap->start) || heap->area.off_heap_bytes > heap->virtual_limit;
}

Fragment *fragment_create(size_t words);
void fragment_free(Fragment *fragment); /* releases its off-heap objects too */
void fragments_free(Fragment *newest);  /* it and those behind it; may be NULL */
/* An area that builds in a fragment, growing by chaining; fragment_area_finish returns the chain (newest first). */
typedef struct {
    Area area;
    Fragment *chain;
} FragmentArea;
void fragment_area_init(FragmentArea *fa, size_t words);
Fragment *fragment_area_finish(FragmentArea *fa);
void fragment_area_drop(FragmentArea *fa); /* frees what was built */
/* Makes the terms of a chain part of a heap until its next collection. */
void heap_adopt_fragments(Heap *heap, Fragment *chain);

/* What terms and the stack take, fragments included. */
size_t heap_used_words(const Heap *heap);
size_t heap_size_words(const Heap *heap);  /* young block, stack included */
size_t heap_total_words(const Heap *heap); /* both blocks and the fragments: process_info(total_heap_size) */
/* The smallest size of the stock's steps (12, 38, ..., 233, 376, ...) that is at least `words`; the largest, far beyond
 * any memory, when none is. */
size_t heap_step(size_t words);
/* The step behind that one. */
size_t heap_step_above(size_t words);

/* Walks every object and checks what the collector relies on; panics with the address of what is broken. For tests and
 * torture builds. `roots` may be NULL. */
void heap_verify(const Heap *heap, const Rootset *roots);

#endif
