/*
 * An Area is a place where terms are built: a process heap, a message fragment, a literal area, an object of a table.
 *
 * `top` moves up as words are handed out, `limit` is the first word that may not be (in a process heap: the stack top).
 * When a request does not fit, `overflow` provides the words some other way (a process heap hangs on a heap fragment);
 * it never moves existing terms and never fails, so builders may keep terms in C variables across any call here.
 * "Reserve, then build": ask once for all the words, then fill every one of them before anyone may scan the area.
 *
 * An area has one writer, its owner's thread; no lock.
 */
#ifndef VIV_TERM_AREA_H
#define VIV_TERM_AREA_H

#include "term/boxed.h"

typedef struct Area Area;
struct Area {
    Term *top;
    Term *limit;
    OffHeap *off_heap;      /* off-heap objects built in this area, newest first */
    size_t off_heap_bytes;  /* what those objects keep alive outside: the virtual heap */
    Term *(*overflow)(Area *area, size_t words);
};

/* `words` words, uninitialised; the caller fills them all at once. */
static inline Term *area_alloc(Area *area, size_t words) {
    Term *p = area->top;
    if (likely((size_t)(area->limit - p) >= words)) {
        area->top = p + words;
        return p;
    }
    return area->overflow(area, words);
}

/* Gives back the unused tail of the newest allocation: [unused, end of allocation). Safe whatever was handed out: words
 * that do not lie at the top become filler. */
static inline void area_give_back(Area *area, Term *unused, Term *end) {
    if (unused == end)
        return;
    if (end == area->top) {
        area->top = unused;
        return;
    }
    for (Term *next; unused < end; unused = next) {
        next = end - unused > HEADER_ARITY_MAX ? unused + 1 + HEADER_ARITY_MAX : end;
        unused[0] = header_make(KIND_FILLER, next - unused - 1);
    }
}

static inline void area_link_off_heap(Area *area, OffHeap *object, size_t bytes) {
    object->next = area->off_heap;
    area->off_heap = object;
    area->off_heap_bytes += bytes;
}

/* Small builders */
static inline Term area_cons(Area *area, Term head, Term tail) {
    Term *p = area_alloc(area, 2);
    p[0] = head;
    p[1] = tail;
    return list_make(p);
}
/* A list that grows at its front, by who is called with one element after the other. */
typedef struct {
    Area *area;
    Term list;
} AreaList;
static inline void area_list_add(Term element, void *list) {
    AreaList *l = list;
    l->list = area_cons(l->area, element, l->list);
}
/* Of so many words; they are not copied any deeper. */
static inline Term area_list(Area *area, const Term *words, size_t count) {
    if (count == 0)
        return NIL;
    Term *cells = area_alloc(area, 2 * count), list = list_make(cells);
    for (size_t i = 0; i < count; i++, cells += 2) {
        cells[0] = words[i];
        cells[1] = list_make(cells + 2);
    }
    cells[-1] = NIL;
    return list;
}
static inline Term area_tuple(Area *area, const Term *elements, size_t arity) {
    Term *p = area_alloc(area, 1 + arity);
    p[0] = header_make(KIND_TUPLE, arity);
    for (size_t i = 0; i < arity; i++)
        p[1 + i] = elements[i];
    return boxed_make(p);
}
static inline Term area_tuple2(Area *area, Term a, Term b) {
    Term *p = area_alloc(area, 3);
    p[0] = header_make(KIND_TUPLE, 2);
    p[1] = a;
    p[2] = b;
    return boxed_make(p);
}
/* A cell whose head is a pair, at `p`, in one piece. */
#define PAIR_CELL_WORDS 5
static inline Term pair_cell_put(Term *p, Term first, Term second, Term tail) {
    p[0] = boxed_make(p + 2);
    p[1] = tail;
    p[2] = header_make(KIND_TUPLE, 2);
    p[3] = first;
    p[4] = second;
    return list_make(p);
}
static inline Term area_tuple3(Area *area, Term a, Term b, Term c) {
    Term *p = area_alloc(area, 4);
    p[0] = header_make(KIND_TUPLE, 3);
    p[1] = a;
    p[2] = b;
    p[3] = c;
    return boxed_make(p);
}
static inline Term area_tuple4(Area *area, Term a, Term b, Term c, Term d) {
    Term *p = area_alloc(area, 5);
    p[0] = header_make(KIND_TUPLE, 4);
    p[1] = a;
    p[2] = b;
    p[3] = c;
    p[4] = d;
    return boxed_make(p);
}

#endif
