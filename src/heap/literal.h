/*
 * Literal areas: blocks of terms that are never moved, never copied on a send, and shared by all processes.
 *
 * One area per module instance, one per persistent term. `is_literal` tells by address: all literal areas are carved
 * from one reserved span of address space (LITERAL_SPAN_BYTES), so the test is a subtraction and a compare. Areas are
 * written by their creator before they are published and only read afterwards. Nothing in an area points out of it.
 *
 * How an area goes away. Its module was purged, or its persistent term erased: nobody gets a new reference to it but
 * from those who have one. Who may have one: processes (heap, stack, registers, dictionary, messages), and what is on
 * its way from one process to another. Everything else that keeps terms keeps copies without literals (heap/kept.h;
 * docs/LITERALS.md has the list). All areas that are to go by then leave together (replace/literal_release.h), in
 * phases with thread progress between them:
 *
 *   1. their granules are marked, and `literal_counted` covers them: sizes of terms count their terms, as if they were
 *      to be copied;
 *   2. `literal_leaving` covers them: copies copy their terms. From the progress after this on, nothing that is sent
 *      refers to them, and whoever was sent a reference has it in its signal queue; some more progress, and it has been
 *      woken, as its bound says (process/rest.h);
 *   3. each process that may refer to them is asked (replace/asked.h); it copies what it refers to into its
 *      heap. When all have answered, nobody refers to them, but for what dirty calls hold: those areas stay, marked,
 *      and leave once more with the next;
 *   4. `literal_leaving` is none; thread progress; `literal_counted` is none, and the areas are freed.
 *
 * So within one slice, or one thread_progress_enter, a size that was computed is never too small for the copy that is
 * made later: what is left over is given back. Each of the two words is one store, read with a plain load. They cover
 * all that is marked, and others between them: the marks decide. Those change only while `literal_leaving` is none: a
 * size that is computed by marks as they are changed is that of a copy which shares all literals.
 */
#ifndef VIV_HEAP_LITERAL_H
#define VIV_HEAP_LITERAL_H

#include <stdatomic.h>

#include "base/birth.h"
#include "term/area.h"

#define LITERAL_SPAN_BYTES ((size_t)1 << 36) /* less of it may be usable: literal.c */
extern char *literal_span_start;

void literal_span_init(void);
static inline bool is_literal_ptr(const void *p) {
    return (size_t)((const char *)p - literal_span_start) < LITERAL_SPAN_BYTES;
}
static inline bool is_literal(Term t) { return is_pointer(t) && is_literal_ptr((const void *)(uintptr_t)t); }

typedef struct LiteralArea {
    Area area; /* build with it (its overflow panics: size is reserved exactly) */
    Term *start, *end;
    struct LiteralSlab *slab; /* in which it lies with others; NULL: it has pages of its own, or no words */
    struct LiteralArea *next; /* of those that are to go: replace/literal_release.h */
    _Atomic bool is_held;     /* the same: a dirty call may refer to it */
    Birth born;               /* base/birth.h */
    Term owner;               /* the module, or NON_VALUE; for holders of modules */
} LiteralArea;

/* Areas begin and end with a granule. A range: first and count; 0: none. */
#define LITERAL_GRANULE_SHIFT 4
typedef uint64_t LiteralRange;
extern LiteralRange literal_counted, literal_leaving;
static inline LiteralRange literal_counted_now(void) { return __atomic_load_n(&literal_counted, __ATOMIC_ACQUIRE); }
static inline LiteralRange literal_leaving_now(void) { return __atomic_load_n(&literal_leaving, __ATOMIC_ACQUIRE); }
static inline size_t literal_granule(const void *p) {
    return (size_t)((const char *)p - literal_span_start) >> LITERAL_GRANULE_SHIFT;
}
static inline bool literal_in_range(LiteralRange range, const void *p) {
    return literal_granule(p) - (size_t)(range >> 32) < (uint32_t)range;
}
/* The same, where many words are looked at. */
static inline Word literal_range_start(LiteralRange range) {
    return (Word)(uintptr_t)literal_span_start + (range >> 32 << LITERAL_GRANULE_SHIFT);
}
static inline Word literal_range_bytes(LiteralRange range) { return (Word)(uint32_t)range << LITERAL_GRANULE_SHIFT; }

/* The marks: a bit for each granule, in blocks that come when the first of their bits is set, and stay. */
#define LITERAL_MARKS_SHIFT 17 /* granules of a block */
#define LITERAL_MARK_BLOCKS (LITERAL_SPAN_BYTES >> LITERAL_GRANULE_SHIFT >> LITERAL_MARKS_SHIFT)
typedef _Atomic uint64_t LiteralMarks;
extern _Atomic(LiteralMarks *) literal_marks[LITERAL_MARK_BLOCKS];
static inline bool literal_is_marked(const void *p) {
    size_t granule = literal_granule(p), bit = granule & (((size_t)1 << LITERAL_MARKS_SHIFT) - 1);
    LiteralMarks *block = atomic_load_explicit(&literal_marks[granule >> LITERAL_MARKS_SHIFT], memory_order_acquire);
    return block != NULL && atomic_load_explicit(&block[bit / 64], memory_order_relaxed) >> bit % 64 & 1;
}

/* What is looked for in heaps: a range, or what is marked in it. */
typedef struct {
    LiteralRange range;
    bool only_marked;
} LiteralSet;
static inline bool literal_in_set(LiteralSet set, const void *p) {
    return literal_in_range(set.range, p) && (!set.only_marked || literal_is_marked(p));
}
/* Is it shared by a copy that is made in this phase? */
static inline bool literal_is_shared(LiteralRange leaving, Term t) {
    const void *p = (const void *)(uintptr_t)t;
    return is_literal(t) && (likely(!literal_in_range(leaving, p)) || !literal_is_marked(p));
}
/* Does a term that is put somewhere else have to be copied? */
static inline bool term_needs_copy(Term t) { return is_pointer(t) && !literal_is_shared(literal_counted_now(), t); }
LiteralRange literal_range(const LiteralArea *la);
/* The least that covers both; either may be none. */
LiteralRange literal_range_join(LiteralRange a, LiteralRange b);
/* By one thread at a time, while `literal_leaving` is none. */
void literal_mark(const LiteralArea *la);
void literal_unmark(const LiteralArea *la);

LiteralArea *literal_area_create(size_t words);
/* The area is the head of a larger structure of so many bytes, the rest of them zero. */
LiteralArea *literal_area_create_in(size_t struct_bytes, size_t words);
void literal_area_free(LiteralArea *la); /* releases off-heap objects, the words, and the structure */
/* What its words take, with what is left over. */
size_t literal_area_bytes(const LiteralArea *la);

#endif
