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
 * docs/LITERALS.md has the list). One area leaves at a time (replace/literal_release.h), in phases with thread progress
 * between them:
 *
 *   1. `literal_counted` is the area: sizes of terms count its terms, as if they were to be copied;
 *   2. `literal_leaving` is the area: copies copy its terms. From the progress after this on, nothing that is sent
 *      refers to it, and whoever was sent a reference has it in its signal queue;
 *   3. each process is asked; it copies what it refers to into its heap. When all have answered, nobody refers to it;
 *   4. `literal_leaving` is none; thread progress; `literal_counted` is none, and the area is freed.
 *
 * So within one slice, or one thread_progress_enter, a size that was computed is never too small for the copy that is
 * made later: what is left over is given back. Each of the two words is one store, read with a plain load.
 */
#ifndef VIV_HEAP_LITERAL_H
#define VIV_HEAP_LITERAL_H

#include "term/area.h"

#define LITERAL_SPAN_BYTES ((size_t)1 << 36)
extern char *literal_span_start;

void literal_span_init(void);
static inline bool is_literal_ptr(const void *p) {
    return (size_t)((const char *)p - literal_span_start) < LITERAL_SPAN_BYTES;
}
static inline bool is_literal(Term t) { return is_pointer(t) && is_literal_ptr((const void *)(uintptr_t)t); }

typedef struct LiteralArea {
    Area area; /* build with it (its overflow panics: size is reserved exactly) */
    Term *start, *end;
    struct LiteralArea *next; /* of those that are to go: replace/literal_release.h */
    Term owner;               /* the module, or NON_VALUE; for holders of modules */
} LiteralArea;

/* Pages of the span, first and count; 0: none. */
typedef uint64_t LiteralRange;
extern LiteralRange literal_counted, literal_leaving;
#define LITERAL_PAGE_SHIFT 12
static inline LiteralRange literal_counted_now(void) { return __atomic_load_n(&literal_counted, __ATOMIC_ACQUIRE); }
static inline LiteralRange literal_leaving_now(void) { return __atomic_load_n(&literal_leaving, __ATOMIC_ACQUIRE); }
static inline bool literal_in_range(LiteralRange range, const void *p) {
    size_t page = (size_t)((const char *)p - literal_span_start) >> LITERAL_PAGE_SHIFT;
    return page - (size_t)(range >> 32) < (uint32_t)range;
}
/* Is it shared by a copy that is made in this phase? */
static inline bool literal_is_shared(LiteralRange leaving, Term t) {
    return is_literal(t) && likely(!literal_in_range(leaving, (const void *)(uintptr_t)t));
}
/* Does a term that is put somewhere else have to be copied? */
static inline bool term_needs_copy(Term t) { return is_pointer(t) && !literal_is_shared(literal_counted_now(), t); }
LiteralRange literal_range(const LiteralArea *la);

LiteralArea *literal_area_create(size_t words);
void literal_area_free(LiteralArea *la); /* releases off-heap objects and the words */

#endif
