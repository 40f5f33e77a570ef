/*
 * What comparing for order (compare.c) looks at: pairs of ranges of words.
 *
 * A range is what is still to be compared of a cell, tuple, environment or map; what must wait lies on the explicit
 * stack as (a, b, count << 1 | mode). Lists run without the stack: a cell is a range of two words, and its tail is the
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

enum { MODE_LOOSE, MODE_EXACT };

typedef struct {
    const Term *a, *b;
    size_t count;
    unsigned mode;
} Range;

static inline void range_push(EStack *stack, const Range *r) {
    if (r->count > 0)
        estack_push3(stack, (Word)(uintptr_t)r->a, (Word)(uintptr_t)r->b, (Word)r->count << 1 | r->mode);
}

static inline bool range_pop(EStack *stack, Range *r) {
    if (estack_is_empty(stack))
        return false;
    const Word *words = estack_drop(stack, 3);
    r->a = (const Term *)(uintptr_t)words[0];
    r->b = (const Term *)(uintptr_t)words[1];
    r->count = words[2] >> 1;
    r->mode = words[2] & 1;
    return true;
}

/* Small objects and cells that lie in two places, but are the same word for word. */
static noinline bool same_at_a_glance(Term a, Term b) {
    enum { GLANCE = 4 };
    if (is_list(a))
        return is_list(b) && list_head(a) == list_head(b) && list_tail(a) == list_tail(b);
    if (!is_boxed(a) || !is_boxed(b) || boxed_header(a) != boxed_header(b))
        return false;
    const Term *x = boxed_ptr(a) + 1, *y = boxed_ptr(b) + 1, *end = x + header_arity(x[-1]);
    if (end - x > GLANCE)
        return false;
    while (x < end && *x == *y)
        x++, y++;
    return x == end;
}

/* How many pairs are the same, up to the first that may not be. */
static inline size_t same_words(const Term *a, const Term *b, size_t count) {
    size_t same = 0;
    while (same < count && (a[same] == b[same] || (is_pointer(a[same]) && same_at_a_glance(a[same], b[same]))))
        same++;
    long_work_count_large(same, UNITS_PER_PAIR);
    return same;
}

/* `then` is compared first, before what is left of *r. Nothing happens when it is the same word for word. */
static inline void range_enter(EStack *stack, Range *r, Range then) {
    size_t same = same_words(then.a, then.b, then.count);
    if (same == then.count)
        return;
    range_push(stack, r);
    *r = (Range){then.a + same, then.b + same, then.count - same, then.mode};
}

/* Elements that are looked at beforehand, where nothing has to be entered. */
#define PLAIN_ELEMENTS 16

static inline bool are_tuples_of_one_size(Term a, Term b) {
    return is_boxed(a) && is_boxed(b) && is_tuple(a) && boxed_header(a) == boxed_header(b);
}

/* Two cells, from the first pair of elements on that differs. Tuples that are the same word for word are passed as
 * they stand: what lists of small tuples differ in is found without the stack. */
static inline void enter_cells(EStack *stack, Range *r, Term a, Term b, unsigned *left) {
    const Term *x = list_ptr(a), *y = list_ptr(b);
    for (;; x = list_ptr(x[1]), y = list_ptr(y[1])) {
        if (x[0] != y[0]) {
            if (!are_tuples_of_one_size(x[0], y[0])) {
                range_enter(stack, r, (Range){x, y, 2, r->mode});
                return;
            }
            size_t count = tuple_arity(x[0]);
            const Term *p = tuple_elements(x[0]), *q = tuple_elements(y[0]);
            size_t same = same_words(p, q, count);
            if (same < count) {
                range_enter(stack, r, (Range){x + 1, y + 1, 1, r->mode});
                range_enter(stack, r, (Range){p + same, q + same, count - same, r->mode});
                return;
            }
        }
        if (x[1] == y[1])
            return;
        if (!is_list(x[1]) || !is_list(y[1])) {
            range_enter(stack, r, (Range){x + 1, y + 1, 1, r->mode});
            return;
        }
        *left = long_work_step(*left, UNITS_PER_PAIR);
    }
}

/* The first place where the words are not the same, or `count`. */
static inline size_t words_differ_at(const Term *a, const Term *b, size_t count) {
    size_t at = 0;
    while (at < count && a[at] == b[at])
        at++;
    return at;
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
