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
#include "term/atom.h"
#include "term/cells.h"
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

/* The first place where the words are not the same, or `count`. */
static inline size_t words_differ_at(const Term *a, const Term *b, size_t count) {
    size_t at = 0;
    while (at < count && a[at] == b[at])
        at++;
    return at;
}

/* What one glance tells of two different words: -1, 0 or 1, or that it does not show: what was entered will tell. */
enum { UNCLEAR = 2 };

static inline bool is_whole_heap_bytes(Term t) {
    return header_is(boxed_header(t), KIND_HEAP_BITS) && ((const HeapBits *)boxed_ptr(t))->size % 8 == 0;
}

/* The data are whole words; of the last one what lies behind the bytes is anything. */
static inline int compare_heap_bytes(Term a, Term b) {
    const HeapBits *x = (const HeapBits *)boxed_ptr(a), *y = (const HeapBits *)boxed_ptr(b);
    const Word *p = (const Word *)x->bytes, *q = (const Word *)y->bytes;
    size_t left = (x->size < y->size ? x->size : y->size) / 8;
    for (; left >= WORD_BYTES && *p == *q; left -= WORD_BYTES)
        p++, q++;
    if (left > 0) {
        unsigned behind = left >= WORD_BYTES ? 0 : 64 - 8 * (unsigned)left;
        Word u = __builtin_bswap64(*p) >> behind, v = __builtin_bswap64(*q) >> behind;
        if (u != v)
            return u < v ? -1 : 1;
    }
    return compare_words(x->size, y->size);
}

static inline int compare_refc_bytes(Term a, Term b) {
    enum { NO_LONG_WORK = 4096 };
    const BinRef *x = (const BinRef *)boxed_ptr(a), *y = (const BinRef *)boxed_ptr(b);
    size_t size = (size_t)small_value(x->size), other = (size_t)small_value(y->size);
    size_t both = size < other ? size : other;
    if (both > NO_LONG_WORK)
        return compare_leaves(a, b, RANK_BITS);
    int order = memcmp(x->binary->bytes, y->binary->bytes, both);
    return order != 0 ? (order < 0 ? -1 : 1) : compare_words(size, other); /* 2 would be UNCLEAR */
}

/* Local references of one count: the last number weighs most. */
static inline int compare_local_refs(Term a, Term b) {
    const Ref *x = (const Ref *)boxed_ptr(a), *y = (const Ref *)boxed_ptr(b);
    if (x->count != y->count)
        return UNCLEAR;
    for (size_t i = x->count; i-- > 0;)
        if (x->numbers[i] != y->numbers[i])
            return x->numbers[i] < y->numbers[i] ? -1 : 1;
    return 0;
}

/* Of one sign and size, which is small. */
static inline int compare_big_words(Term a, Term b) {
    const Term *x = boxed_ptr(a), *y = boxed_ptr(b);
    size_t i = header_arity(x[0]);
    while (i > 0 && x[i] == y[i])
        i--;
    return i == 0 ? 0 : (x[i] < y[i]) == header_is(x[0], KIND_POS_BIG) ? -1 : 1;
}

/* Two floats; that they are equal is UNCLEAR, as there are two zeros. */
static inline int compare_floats(double x, double y) { return x < y ? -1 : x > y ? 1 : UNCLEAR; }

/* Of two different words: small integers and atoms. */
static inline int order_of_plain(Term p, Term q) {
    if (are_small(p, q))
        return (SWord)p < (SWord)q ? -1 : 1;
    if (is_atom(p))
        return is_atom(q) ? atom_compare(p, q) : is_small(q) ? 1 : UNCLEAR;
    return is_small(p) && is_atom(q) ? -1 : UNCLEAR;
}

static inline int order_of_ranks(Term a, Term b) {
    unsigned rank = term_rank(a), other = term_rank(b);
    return rank == other ? UNCLEAR : rank < other ? -1 : 1;
}

/* Local ones of one size. */
static inline int order_of_funs(Term a, Term b) {
    const Fun *x = fun_ptr(a), *y = fun_ptr(b);
    int order = x->entry == y->entry ? 0 : compare_fun_entries(a, b);
    if (order != 0)
        return order;
    size_t count = fun_free_count(a), at = words_differ_at(x->env, y->env, count);
    if (at == count)
        return 0;
    return order_of_plain(x->env[at], y->env[at]);
}

enum { GLANCE = 4 }; /* what is larger, in words behind the header, is not small */
static inline int order_of_small_tuples(Term a, Term b) {
    const Term *p = tuple_elements(a), *q = tuple_elements(b);
    size_t arity = tuple_arity(a), at = words_differ_at(p, q, arity);
    return at == arity ? 0 : order_of_plain(p[at], q[at]);
}

/* Of boxed terms: those of different ranks, and tuples of different sizes; those that hold no others; funs and small
 * tuples by the first words that are not the same in both; other small ones that are the same word for word. Where it
 * is UNCLEAR they are of one rank. */
static inline int order_of_boxed(Term a, Term b) {
    Term h = boxed_header(a);
    if (header_is(h, KIND_TUPLE) && is_tuple(b) && h != boxed_header(b))
        return tuple_arity(a) < tuple_arity(b) ? -1 : 1;
    if (header_is(h, KIND_TUPLE) && h == boxed_header(b) && tuple_arity(a) <= GLANCE)
        return order_of_small_tuples(a, b);
    if (header_is(h, KIND_HEAP_BITS) && is_whole_heap_bytes(a) && is_whole_heap_bytes(b))
        return compare_heap_bytes(a, b);
    if (header_is(h, KIND_BIN_REF) && header_is(boxed_header(b), KIND_BIN_REF))
        return compare_refc_bytes(a, b);
    if (is_bitstring(a) && is_bitstring(b))
        return compare_leaves(a, b, RANK_BITS);
    if (h != boxed_header(b))
        return order_of_ranks(a, b);
    if (header_is(h, KIND_REF))
        return compare_local_refs(a, b);
    if (header_is(h, KIND_FUN))
        return order_of_funs(a, b);
    size_t size = header_arity(h);
    if (header_is(h, KIND_POS_BIG) || header_is(h, KIND_NEG_BIG))
        return size <= GLANCE ? compare_big_words(a, b) : UNCLEAR;
    if (size <= GLANCE && words_differ_at(boxed_ptr(a) + 1, boxed_ptr(b) + 1, size) == size)
        return 0;
    return header_is(h, KIND_FLOAT) ? compare_floats(float_value(a), float_value(b)) : UNCLEAR;
}

/* Of lists, by their first cells. */
static inline int order_of_cells(Term a, Term b) {
    enum { FIRST_CELLS = 16 };
    for (size_t i = 0; i < FIRST_CELLS && are_lists(a, b); i++) {
        Term x = list_head(a), y = list_head(b);
        if (x != y)
            return are_small(x, y) ? ((SWord)x < (SWord)y ? -1 : 1) : UNCLEAR;
        a = list_tail(a);
        b = list_tail(b);
    }
    return a == b ? 0 : UNCLEAR;
}

/* UNCLEAR only of one rank. */
static noinline int order_of_others(Term a, Term b) {
    if (are_lists(a, b))
        return order_of_cells(a, b);
    if (is_boxed(a) && is_boxed(b))
        return order_of_boxed(a, b);
    if (is_atom(a) && is_atom(b))
        return atom_compare(a, b);
    if (is_local_pid(a) && is_local_pid(b))
        return a < b ? -1 : 1; /* the serial lies above the number */
    if (is_self_float(a) && is_self_float(b))
        return compare_floats(self_float_value(a), self_float_value(b));
    return order_of_ranks(a, b);
}

static inline int order_at_a_glance(Term a, Term b) {
    return are_small(a, b) ? ((SWord)a < (SWord)b ? -1 : 1) : order_of_others(a, b);
}

static inline bool are_tuples_of_one_size(Term a, Term b) {
    return is_boxed(a) && is_boxed(b) && is_tuple(a) && boxed_header(a) == boxed_header(b);
}

/* The first place where a glance does not tell that the elements are the same, or `count`; and the order there. */
static inline size_t elements_differ_at(const Term *a, const Term *b, size_t count, int *order, unsigned *left) {
    size_t at = 0;
    *order = 0;
    while ((at += words_differ_at(a + at, b + at, count - at)) < count) {
        *order = order_at_a_glance(a[at], b[at]);
        if (*order != 0)
            break;
        at++;
        *left = long_work_step(*left, UNITS_PER_PAIR);
    }
    long_work_count_large(at, UNITS_PER_PAIR);
    return at;
}

/* Small ones that are the same word for word. */
static inline bool are_same_tuples(Term a, Term b) {
    enum { FEW = 16 };
    return are_tuples_of_one_size(a, b) && tuple_arity(a) <= FEW &&
           words_differ_at(tuple_elements(a), tuple_elements(b), tuple_arity(a)) == tuple_arity(a);
}

/* Two tuples of one size, before `then`, and that before what is left of *r: their order, or UNCLEAR when they are
 * entered. */
force_inline int enter_tuples(EStack *stack, Range *r, Term a, Term b, Range then, unsigned *left) {
    const Term *p = tuple_elements(a), *q = tuple_elements(b);
    int order;
    size_t count = tuple_arity(a), at = elements_differ_at(p, q, count, &order, left);
    if (order == UNCLEAR) {
        range_push(stack, r);
        range_push(stack, &then);
        *r = (Range){p + at, q + at, count - at, r->mode};
    }
    return order;
}

/* The same of two cells of which the heads are not the same word. */
force_inline int enter_heads(EStack *stack, Range *r, const Term *x, const Term *y, unsigned *left) {
    if (are_tuples_of_one_size(x[0], y[0]))
        return enter_tuples(stack, r, x[0], y[0], (Range){x + 1, y + 1, 1, r->mode}, left);
    int order = order_at_a_glance(x[0], y[0]);
    if (order == UNCLEAR) {
        range_push(stack, r);
        *r = (Range){x, y, 2, r->mode};
    }
    return order;
}

/* Two lists, from the first pair of elements on that needs more than a glance. */
force_inline int enter_cells(EStack *stack, Range *r, Term a, Term b, unsigned *left) {
    Word stride_a = CELL_STRIDE, stride_b = CELL_STRIDE;
    for (;;) {
        const Term *x = list_ptr(a), *y = list_ptr(b);
        int order = x[0] == y[0] || are_same_tuples(x[0], y[0]) ? 0 : enter_heads(stack, r, x, y, left);
        if (order != 0 || x[1] == y[1])
            return order;
        if (!are_lists(x[1], y[1])) {
            range_push(stack, r);
            *r = (Range){x + 1, y + 1, 1, r->mode};
            return UNCLEAR;
        }
        a = next_cell(a, &stride_a);
        b = next_cell(b, &stride_b);
        *left = long_work_step(*left, UNITS_PER_PAIR);
    }
}

/* `then` is compared first, before what is left of *r. Nothing happens when it is the same word for word. */
static inline void range_enter(EStack *stack, Range *r, Range then) {
    size_t same = words_differ_at(then.a, then.b, then.count);
    long_work_count_large(same, UNITS_PER_PAIR);
    if (same == then.count)
        return;
    range_push(stack, r);
    *r = (Range){then.a + same, then.b + same, then.count - same, then.mode};
}

static inline bool have_same_keys(Term a, Term b) {
    const FlatMap *x = flat_map_ptr(a), *y = flat_map_ptr(b);
    size_t size = flat_map_size(a);
    return x->keys == y->keys || words_differ_at(tuple_elements(x->keys), tuple_elements(y->keys), size) == size;
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
