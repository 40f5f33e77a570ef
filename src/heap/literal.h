/*
 * Literal areas: blocks of terms that are never moved, never copied on a send, and shared by all processes.
 *
 * One area per module instance, one per persistent term. `is_literal` tells by address: all literal areas are carved
 * from one reserved span of address space (LITERAL_SPAN_BYTES), so the test is a subtraction and a compare. Areas are
 * written by their creator before they are published and only read afterwards.
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
} LiteralArea;
LiteralArea *literal_area_create(size_t words);
void literal_area_free(LiteralArea *la); /* releases off-heap objects and the words */

#endif
