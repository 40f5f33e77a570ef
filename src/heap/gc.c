/*
 * The collector: copying, two generations, Cheney's scan, so no stack of its own and no recursion.
 *
 * A minor collection moves what survives a first time from the young block and the fragments to a new young block, and
 * what survives a second time (below `mature`) to the old block, which nothing in it leaves. A major one moves
 * everything to one new young block. A moved object leaves its new address behind: in the header's place a boxed
 * pointer, in a list cell NON_VALUE and a list pointer. What is scanned: the words between the scan position and the
 * top of each target.
 *
 * Old objects never point to young ones: terms are immutable, and whatever an object below `mature` points to was there
 * at the last collection. Literals are left alone.
 *
 * Sizes follow the stock runtime's steps (heap_step). The new block can hold everything that might survive; afterwards,
 * when it is found too small for the need or much too large, its contents move once more, by one linear pass
 * (`move_block`).
 */
#include "alloc/alloc.h"
#include "base/copy_bytes.h"
#include "base/long_work.h"
#include "heap/heap.h"
#include "heap/limit.h"
#include "heap/literal.h"
#include "term/refc_binary.h"

#include <string.h>

#define WORDS_PER_REDUCTION 10
#define SCAN_ROUND 1024
#define UNITS_PER_WORD 8 /* of long work: to move it and to scan it */
#define UNITS_PER_WORD_SHIFTED 2
#define UNITS_PER_OBJECT 20 /* outside of the heap: to keep or to release it */
#define TORTURE_VERIFY_WORDS 4096
#define SHRINK_YOUNG_MIN_WORDS 8000 /* a minor collection leaves smaller blocks as they are */

typedef struct {
    Heap *heap;
    Rootset *roots;
    Term *to, *to_end, *top; /* the new young block */
    Term *stack;             /* already moved to the end of it */
    Term *old_top;           /* minor: grows as objects are promoted */
} Collection;

force_inline bool within(const void *p, const void *start, const void *end) {
    return (size_t)((const char *)p - (const char *)start) < (size_t)((const char *)end - (const char *)start);
}

/* May the object at `p` move? Fragments lie anywhere, so when there are some it is told by what it is not. */
force_inline bool in_from_space(const Collection *c, const Term *p, bool major, bool fragments) {
    const Heap *h = c->heap;
    if (!fragments)
        return within(p, h->start, h->area.top) || (major && within(p, h->old_start, h->old_top));
    return !is_literal_ptr(p) && !within(p, c->to, c->to_end) && (major || !within(p, h->old_start, h->old_end));
}

typedef struct {
    Term *young, *old;
} Tops;

force_inline Term *target(const Collection *c, const Term *p, size_t words, Tops *tops, bool major) {
    Term **top = &tops->young;
    if (!major && within(p, c->heap->start, c->heap->mature))
        top = &tops->old;
    Term *to = *top;
    *top = to + words;
    return to;
}

/* A list's spine is moved at once, for the sake of locality and speed; heads are left to the scan. */
force_inline void move_list(const Collection *c, Term *slot, Tops *tops, bool major, bool fragments) {
    Term t = *slot;
    unsigned left = LONG_WORK_ROUND;
    do {
        Term *cell = list_ptr(t);
        if (!in_from_space(c, cell, major, fragments))
            return;
        if (cell[0] == NON_VALUE) {
            *slot = cell[1];
            return;
        }
        left = long_work_step(left, 2 * UNITS_PER_WORD);
        Term *to = target(c, cell, 2, tops, major);
        t = cell[1];
        to[0] = cell[0];
        to[1] = t;
        *slot = list_make(to);
        cell[0] = NON_VALUE;
        cell[1] = list_make(to);
        slot = to + 1;
    } while (is_list(t));
}

force_inline void move_boxed(const Collection *c, Term *slot, Tops *tops, bool major, bool fragments) {
    Term *from = boxed_ptr(*slot);
    if (!in_from_space(c, from, major, fragments))
        return;
    Term header = from[0];
    if (is_boxed(header)) {
        *slot = header;
        return;
    }
    assume(is_header(header));
    size_t arity = header_arity(header);
    Term *to = target(c, from, arity + 1, tops, major);
    copy_few_words(to, from, 1 + arity);
    from[0] = *slot = boxed_make(to);
}

force_inline void move_slot(const Collection *c, Term *slot, Tops *tops, bool major, bool fragments) {
    Term t = *slot;
    if (is_boxed(t))
        move_boxed(c, slot, tops, major, fragments);
    else if (is_list(t))
        move_list(c, slot, tops, major, fragments);
}

force_inline void move_range(const Collection *c, Term *p, Term *end, Tops *tops, bool major, bool fragments) {
    unsigned left = LONG_WORK_ROUND;
    for (; p < end; p++) {
        move_slot(c, p, tops, major, fragments);
        left = long_work_step(left, UNITS_PER_WORD);
    }
}

/* `*limit` moves away as the objects found are appended there. By the round: a long scan counts as long work. */
force_inline Term *scan(const Collection *c, Term *p, Term *const *limit, Tops *tops, bool major, bool fragments) {
    while (p < *limit) {
        const Term *stop = *limit;
        if (unlikely(stop - p > SCAN_ROUND)) {
            stop = p + SCAN_ROUND;
            long_work_count(SCAN_ROUND * UNITS_PER_WORD);
        }
        while (p < stop) {
            Term w = *p;
            if (is_pointer(w))
                move_slot(c, p, tops, major, fragments);
            else if (is_header(w) && header_is_opaque(w))
                p += header_arity(w);
            p++;
        }
    }
    return p;
}

force_inline void trace_all(Collection *c, bool major, bool fragments) {
    Tops tops = {c->top, c->old_top};
    Term *young = c->top, *old = c->old_top;
    for (unsigned i = 0; i < c->roots->count; i++)
        move_range(c, c->roots->range[i].start, c->roots->range[i].start + c->roots->range[i].count, &tops, major,
                   fragments);
    move_range(c, c->stack, c->to_end, &tops, major, fragments);
    do {
        young = scan(c, young, &tops.young, &tops, major, fragments);
        if (!major)
            old = scan(c, old, &tops.old, &tops, major, fragments);
    } while (young < tops.young);
    c->top = tops.young;
    c->old_top = tops.old;
}

static noinline void trace_minor(Collection *c) { trace_all(c, false, false); }
static noinline void trace_minor_fragments(Collection *c) { trace_all(c, false, true); }
static noinline void trace_major(Collection *c) { trace_all(c, true, false); }
static noinline void trace_major_fragments(Collection *c) { trace_all(c, true, true); }

/* Survivors, in the order in which they stood: process_info shows it. */
typedef struct {
    OffHeap *first, **last;
    size_t bytes;
} Survivors;

static void add_survivor(Survivors *s, OffHeap *object) {
    *s->last = object;
    s->last = &object->next;
    s->bytes += off_heap_bytes(object);
}

/* Takes the survivors of one list over, at their new addresses, and releases what the dead ones own. */
static void sweep_off_heap(Collection *c, OffHeap *list, Survivors *young, Survivors *old) {
    for (OffHeap *object = list, *next; object != NULL; object = next) {
        next = object->next;
        long_work_count(UNITS_PER_OBJECT);
        if (!is_boxed(object->header)) {
            off_heap_release(object);
            continue;
        }
        OffHeap *moved = (OffHeap *)boxed_ptr(object->header);
        add_survivor(within(moved, c->to, c->to_end) ? young : old, moved);
    }
}

static void sweep_young(Collection *c) {
    Heap *h = c->heap;
    Survivors young = {.last = &young.first}, old = {.last = &old.first};
    sweep_off_heap(c, h->area.off_heap, &young, &old);
    *young.last = NULL;
    *old.last = h->old_off_heap;
    h->area.off_heap = young.first;
    h->area.off_heap_bytes = young.bytes;
    h->old_off_heap = old.first;
    h->old_off_heap_bytes += old.bytes;
}

static void sweep_all(Collection *c) {
    Heap *h = c->heap;
    Survivors all = {.last = &all.first};
    sweep_off_heap(c, h->area.off_heap, &all, &all);
    sweep_off_heap(c, h->old_off_heap, &all, &all);
    *all.last = NULL;
    h->area.off_heap = all.first;
    h->area.off_heap_bytes = all.bytes;
    h->old_off_heap = NULL;
    h->old_off_heap_bytes = 0;
}

static void free_fragments(Heap *h) {
    for (Fragment *f = h->fragments, *next; f != NULL; f = next) {
        next = f->next;
        long_work_count(UNITS_PER_OBJECT);
        assume(f->off_heap == NULL);
        mem_free(ALLOC_FRAGMENT, f);
    }
    h->fragments = NULL;
    h->fragment_words = 0;
}

/* In debug builds whoever still holds an address of the old place finds nonsense there. */
static void free_block(AllocType type, Term *start, Term *end) {
#ifdef VIV_DEBUG
    if (start != NULL)
        memset(start, 0xab, (size_t)((char *)end - (char *)start));
#endif
    mem_free(type, start);
}

static size_t stack_words(const Heap *h) { return (size_t)(h->end - h->area.limit); }
static size_t young_words(const Heap *h) { return (size_t)(h->area.top - h->start); }
static size_t mature_words(const Heap *h) { return (size_t)(h->mature - h->start); }
static size_t old_words(const Heap *h) { return (size_t)(h->old_top - h->old_start); }

/* Stack, and what no minor collection moves to the old block: where they fill a block all but for a few words, it is
 * collected whenever those are used up, though nothing grows. So the next collection takes a larger one. */
static bool is_tight(const Heap *h) {
    size_t staying = stack_words(h) + (h->fullsweep_after == 0 ? young_words(h) : 0);
    return staying > heap_size_words(h) / 4 * 3;
}

/* What built-in functions make in a small block finds no room there again and again, and is moved each time: the block
 * grows until that is little beside it, as on the stock runtime, but for a process with a limit. */
#define GROWS_WORDS 4096 /* blocks that are smaller */
static bool builds_outside(const Heap *h) {
    size_t words = heap_size_words(h);
    return words < GROWS_WORDS && 8 * h->outside_words > words && h->max_words == 0;
}

/* Who computes without a pause fills a small block in a microsecond or two, and to collect it takes half of one
 * whatever survives: as long as he does, his block is larger. (The stock runtime has larger ones there by the way: what
 * is built outside counts to their size, and it builds more there.) From some 4096 words on the gain is small, and the
 * block leaves the nearest cache. Not where major collections, which shrink it, come after a few others. */
#define GROWS_FULLSWEEP_AFTER 16
static bool grows_for_a_while(const Heap *h, bool major) {
    return h->computes && !major && heap_size_words(h) < GROWS_WORDS && h->max_words == 0 &&
           h->fullsweep_after >= GROWS_FULLSWEEP_AFTER;
}

/* What a collection of that kind may leave in the young block. What was survived once counts for no more: a block that
 * grew with all that was used would grow with garbage, up to a limit of the process's heap that it does not need. */
static size_t survivor_words(const Heap *h, bool major) {
    size_t all = h->fragment_words + young_words(h);
    return major ? all + old_words(h) : all - mature_words(h);
}

/* All roots are looked at each time, a large dictionary too: a block that is small beside them would be collected all
 * too often. */
static size_t least_words(const Heap *h, const Rootset *roots) {
    size_t words = 0;
    for (unsigned i = 0; i < roots->count; i++)
        words += roots->range[i].count;
    words /= 4;
    return words < h->min_words ? h->min_words : words;
}

/* What the new young block must be able to hold, and what a fair size for it is. What is built at once counts beside
 * all that may survive, as if it had been built before: as on the stock runtime. What is little takes the place of what
 * did not survive, or the block would grow each time. */
#define LARGE_NEED_WORDS 64
static size_t new_block_words(const Heap *h, const Rootset *roots, bool major, size_t need) {
    size_t least = heap_size_words(h) + h->is_tight;
    size_t filled = survivor_words(h, major) + (need < LARGE_NEED_WORDS ? 0 : need);
    size_t words = filled + stack_words(h) + STACK_RESERVE;
    size_t wanted = need + stack_words(h) + STACK_RESERVE;
    if (wanted > words)
        words = wanted;
    if (words < least)
        words = least;
    least = least_words(h, roots);
    return heap_step(words < least ? least : words);
}

static void block_begin(Collection *c, size_t words) {
    size_t stack = stack_words(c->heap);
    long_work_count_large(stack, UNITS_PER_WORD_SHIFTED);
    c->to = c->top = mem_alloc(ALLOC_HEAP, words * sizeof(Term));
    c->to_end = c->to + words;
    c->stack = c->to_end - stack;
    copy_bytes(c->stack, c->heap->area.limit, stack * sizeof(Term));
}

static void block_finish(Collection *c) {
    Heap *h = c->heap;
    free_block(ALLOC_HEAP, h->start, h->end);
    h->start = c->to;
    h->end = c->to_end;
    h->area.top = h->mature = c->top;
    h->area.limit = c->stack;
}

static void shift(Term *p, Term *end, const Term *from, const Term *from_end, ptrdiff_t bytes, bool objects) {
    for (; p < end; p++) {
        Term w = *p;
        if (is_pointer(w)) {
            if (within((const void *)(uintptr_t)(w & ~(Term)TAG_MASK), from, from_end))
                *p = w + (Term)bytes;
        } else if (objects && is_header(w) && header_is_opaque(w)) {
            p += header_arity(w);
        }
    }
}

/* Gives the young block another size; there are no fragments. */
static void move_block(Heap *h, Rootset *roots, size_t words) {
    size_t live = young_words(h), stack = stack_words(h);
    assume(h->fragments == NULL && words >= live + stack);
    long_work_count_large(live + stack, UNITS_PER_WORD_SHIFTED);
    Term *to = mem_alloc(ALLOC_HEAP, words * sizeof(Term)), *from = h->start, *from_end = h->area.top;
    ptrdiff_t bytes = (char *)to - (char *)from;
    copy_bytes(to, from, live * sizeof(Term));
    copy_bytes(to + words - stack, h->area.limit, stack * sizeof(Term));
    shift(to, to + live, from, from_end, bytes, true);
    shift(to + words - stack, to + words, from, from_end, bytes, false);
    for (unsigned i = 0; i < roots->count; i++)
        shift(roots->range[i].start, roots->range[i].start + roots->range[i].count, from, from_end, bytes, false);
    for (OffHeap **link = &h->area.off_heap; *link != NULL; link = &(*link)->next)
        *link = (OffHeap *)((char *)*link + bytes);
    h->mature = to + (h->mature - from);
    free_block(ALLOC_HEAP, from, h->end);
    h->start = to;
    h->end = to + words;
    h->area.top = to + live;
    h->area.limit = h->end - stack;
}

static void collect_minor(Heap *h, Rootset *roots, size_t need) {
    Collection c = {.heap = h, .roots = roots};
    if (h->old_start == NULL && h->mature != h->start) {
        size_t words = heap_step_above(young_words(h));
        h->old_start = h->old_top = mem_alloc(ALLOC_OLD_HEAP, words * sizeof(Term));
        h->old_end = h->old_start + words;
    }
    block_begin(&c, new_block_words(h, roots, false, need));
    c.old_top = h->old_top;
    if (h->fragments == NULL)
        trace_minor(&c);
    else
        trace_minor_fragments(&c);
    sweep_young(&c);
    h->old_top = c.old_top;
    free_fragments(h);
    block_finish(&c);
    h->minor_count++;
}

static void collect_major(Heap *h, Rootset *roots, size_t need) {
    Collection c = {.heap = h, .roots = roots};
    block_begin(&c, new_block_words(h, roots, true, need));
    if (h->fragments == NULL)
        trace_major(&c);
    else
        trace_major_fragments(&c);
    sweep_all(&c);
    free_fragments(h);
    free_block(ALLOC_OLD_HEAP, h->old_start, h->old_end);
    h->old_start = h->old_top = h->old_end = NULL;
    block_finish(&c);
    h->minor_count = 0;
    h->need_fullsweep = false;
}

/* Grows until the need fits; shrinks a block that is mostly empty: to twice what is used after a major collection, and
 * to three times, but not below an eighth of the old block, after a minor one. */
static void fit_block(Heap *h, Rootset *roots, size_t need, bool major) {
    size_t used = young_words(h) + stack_words(h) + need + STACK_RESERVE, words = heap_size_words(h);
    if (used > words) {
        move_block(h, roots, heap_step(used));
        return;
    }
    size_t least = least_words(h, roots);
    if (4 * used >= words || words <= least || (!major && words <= SHRINK_YOUNG_MIN_WORDS))
        return;
    size_t wanted = (major ? 2 : 3) * used, eighth = (size_t)(h->old_end - h->old_start) / 8;
    if (wanted < eighth)
        wanted = eighth;
    if (wanted < least)
        wanted = least;
    wanted = heap_step(wanted);
    if (wanted < words)
        move_block(h, roots, wanted);
}

static void set_virtual_limits(Heap *h, bool major) {
    size_t least = (size_t)h->min_virtual_words * sizeof(Word);
    size_t twice = 2 * h->area.off_heap_bytes;
    h->virtual_limit = twice > least ? twice : least;
    if (major)
        h->old_virtual_limit = h->virtual_limit;
    else if (h->old_off_heap_bytes > h->old_virtual_limit)
        h->need_fullsweep = true;
}

bool heap_wants_major(const Heap *h, CollectKind kind) {
    if (kind == COLLECT_MAJOR || kind == COLLECT_HIBERNATE)
        return true;
    if (h->old_start != NULL && (size_t)(h->old_end - h->old_top) < mature_words(h))
        return true;
    return (kind == COLLECT_AUTO || kind == COLLECT_RESULT) &&
           (h->need_fullsweep || h->minor_count >= h->fullsweep_after);
}

/* As if there had been no collection yet. */
static void begin_anew(Heap *h) {
    h->mature = h->start;
    h->minor_count = 0;
}

static void collect(Heap *h, Rootset *roots, bool major, size_t need) {
    h->outside_words = 0;
    if (major)
        collect_major(h, roots, need);
    else
        collect_minor(h, roots, need);
    h->is_grown &= !major && heap_size_words(h) < 2 * GROWS_WORDS; /* or its size is what lives in it */
}

/* Under torture, where there is a collection at nearly every instruction: large heaps now and then only. */
static void verify_sometimes(const Heap *h, const Rootset *roots) {
#ifdef VIV_TORTURE
    static _Thread_local unsigned turn;
    if (heap_total_words(h) <= TORTURE_VERIFY_WORDS || ++turn % 256 == 0)
        heap_verify(h, roots);
#endif
}

/* Takes back what is larger for a while, the old block too if it holds little. */
#define SETTLES_OLD_WORDS 1024
static void settle(Heap *h, Rootset *roots, int64_t *reductions) {
    bool major = old_words(h) <= SETTLES_OLD_WORDS || heap_wants_major(h, COLLECT_MINOR);
    h->is_tight = h->is_grown = false;
    collect(h, roots, major, 0);
    fit_block(h, roots, 0, true);
    set_virtual_limits(h, major);
    verify_sometimes(h, roots);
    *reductions -= 1 + (int64_t)(young_words(h) / WORDS_PER_REDUCTION);
}

CollectResult heap_collect(Heap *h, Rootset *roots, size_t need, CollectKind kind, int64_t *reductions) {
    if (unlikely(h->is_grown && (kind == COLLECT_REST || h->max_words != 0)))
        settle(h, roots, reductions);
    if (kind == COLLECT_REST)
        return COLLECTED;
    bool major = heap_wants_major(h, kind);
    bool over = h->max_words != 0 && heap_exceeds_limit(h, kind, major, need);
    if (over && (h->max_flags & HEAP_MAX_KILL))
        return COLLECT_OVER_LIMIT;
    bool is_first_block = heap_gets_first_block(h, kind, need), for_a_while = grows_for_a_while(h, major);
    if (kind != COLLECT_AUTO && kind != COLLECT_RESULT)
        h->is_tight = false; /* who asks for a collection asks for no larger block */
    else if (for_a_while || builds_outside(h))
        h->is_tight = true;
    h->is_grown |= h->is_tight && for_a_while;
    collect(h, roots, major, need);
    if (is_first_block)
        begin_anew(h);
    h->is_collected = true;
    *reductions -= 1 + (int64_t)(young_words(h) / WORDS_PER_REDUCTION);
    if (kind == COLLECT_HIBERNATE)
        move_block(h, roots, young_words(h) + stack_words(h) + need + STACK_RESERVE);
    else
        fit_block(h, roots, need, major);
    h->is_tight = kind != COLLECT_HIBERNATE && is_tight(h);
    set_virtual_limits(h, major);
    verify_sometimes(h, roots);
    return over ? COLLECT_OVER_LIMIT : COLLECTED;
}
