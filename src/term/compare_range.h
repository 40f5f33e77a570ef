/*
 * What comparing for order (compare.c) and for equality (equal.c) share: pairs of ranges of words.
 *
 * A range is what is still to be compared of a cell, tuple, environment or map; what must wait lies on the explicit
 * stack as (a, b, count << 2 | mode). Lists run without the stack: a cell is a range of two words, and its tail is the
 * range's last.
 */
#ifndef VIV_TERM_COMPARE_RANGE_H
#define VIV_TERM_COMPARE_RANGE_H

#include "base/estack.h"
#include "base/long_work.h"
#include "term/compare_leaf.h"
#include "term/fun.h"
#include "term/map.h"

#define UNITS_PER_PAIR 4 /* of long work */

/* MODE_CHILDREN: the words are children of map nodes, so a cell is a key (compared exactly) and a value (not). */
enum { MODE_LOOSE, MODE_EXACT, MODE_CHILDREN };

typedef struct {
    const Term *a, *b;
    size_t count;
    unsigned mode;
} Range;

static inline void range_push(EStack *stack, const Range *r) {
    if (r->count > 0)
        estack_push3(stack, (Word)(uintptr_t)r->a, (Word)(uintptr_t)r->b, (Word)r->count << 2 | r->mode);
}

static inline bool range_pop(EStack *stack, Range *r) {
    if (estack_is_empty(stack))
        return false;
    Word tagged = estack_pop(stack);
    r->b = (const Term *)(uintptr_t)estack_pop(stack);
    r->a = (const Term *)(uintptr_t)estack_pop(stack);
    r->count = tagged >> 2;
    r->mode = tagged & 3;
    return true;
}

/* `then` is compared first, before what is left of *r. */
static inline void range_enter(EStack *stack, Range *r, Range then) {
    range_push(stack, r);
    *r = then;
}

/* Two cells, from the first pair of elements on that is not one word. */
static inline void enter_cells(EStack *stack, Range *r, Term a, Term b, unsigned *left) {
    const Term *x = list_ptr(a), *y = list_ptr(b);
    while (x[0] == y[0] && x[1] != y[1] && is_list(x[1]) && is_list(y[1])) {
        *left = long_work_step(*left, UNITS_PER_PAIR);
        x = list_ptr(x[1]);
        y = list_ptr(y[1]);
    }
    range_enter(stack, r, (Range){x, y, 2, r->mode});
}

static noinline void enter_flat_maps(EStack *stack, Range *r, Term a, Term b) {
    FlatMap *x = flat_map_ptr(a), *y = flat_map_ptr(b);
    size_t size = flat_map_size(a);
    range_enter(stack, r, (Range){x->values, y->values, size, r->mode});
    if (x->keys != y->keys)
        range_enter(stack, r, (Range){tuple_elements(x->keys), tuple_elements(y->keys), size, MODE_EXACT});
}

/* The order of what comes before the environments; they are compared next. */
static inline int enter_funs(EStack *stack, Range *r, Term a, Term b) {
    int order = compare_fun_entries(a, b);
    if (order == 0 && is_local_fun(a))
        range_enter(stack, r, (Range){fun_ptr(a)->env, fun_ptr(b)->env, fun_free_count(a), r->mode});
    return order;
}

#endif
