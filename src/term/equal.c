/*
 * Whether terms are equal: the loop of compare.c, but maps are walked in step, and what cannot be equal ends it at
 * once.
 */
#include "term/compare.h"

#include "base/estack.h"
#include "base/long_work.h"
#include "term/bits.h"
#include "term/compare_range.h"

#include <string.h>

/* Keys of one hash may stand in any order: matches them, then enters the values. */
static bool enter_collisions(EStack *stack, Range *r, const Term *x, const Term *y, size_t count, unsigned mode) {
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < count && !term_identical(list_head(x[i]), list_head(y[j])))
            j++;
        if (j == count)
            return false;
        range_enter(stack, r, (Range){list_ptr(x[i]) + 1, list_ptr(y[j]) + 1, 1, mode & MODE_EXACT});
    }
    return true;
}

/* Tries with the same keys have the same shape, so they are walked in step. */
static bool enter_nodes(EStack *stack, Range *r, Term a, Term b) {
    const Term *x = boxed_ptr(a), *y = boxed_ptr(b);
    if (x[0] != y[0] || x[1] != y[1])
        return false;
    size_t count = header_arity(x[0]) - 1;
    unsigned mode = r->mode == MODE_EXACT ? MODE_EXACT : MODE_CHILDREN;
    if (x[1] == small_make(MAP_COLLISION))
        return enter_collisions(stack, r, x + 2, y + 2, count, mode);
    range_enter(stack, r, (Range){x + 2, y + 2, count, mode});
    return true;
}

/* Two cells of map nodes: a key and a value each. */
static void enter_pairs(EStack *stack, Range *r, Term a, Term b) {
    const Term *x = list_ptr(a), *y = list_ptr(b);
    range_enter(stack, r, (Range){x + 1, y + 1, 1, MODE_LOOSE});
    range_enter(stack, r, (Range){x, y, 1, MODE_EXACT});
}

static bool enter_maps_equal(EStack *stack, Range *r, Term a, Term b) {
    if (map_size(a) != map_size(b))
        return false;
    if (is_flat_map(a)) {
        enter_flat_maps(stack, r, a, b);
        return true;
    }
    Term x = hash_map_ptr(a)->root, y = hash_map_ptr(b)->root;
    return x == y || enter_nodes(stack, r, x, y);
}

/* Unused bits are zero. */
static inline TermGlance heap_bits_plainly(Term a, Term b) {
    const HeapBits *p = (const HeapBits *)boxed_ptr(a), *q = (const HeapBits *)boxed_ptr(b);
    return p->size == q->size && memcmp(p->bytes, q->bytes, (p->size + 7) / 8) == 0 ? TERM_SAME : TERM_DIFFERENT;
}

/* A bitstring, and any boxed term. */
static bool equal_bits(Term a, Term b) {
    if (!is_bitstring(b) || bits_size(a) != bits_size(b))
        return false;
    if (is_boxed_kind(a, KIND_HEAP_BITS) && is_boxed_kind(b, KIND_HEAP_BITS))
        return heap_bits_plainly(a, b) == TERM_SAME;
    BitsView x, y;
    bits_view(a, &x);
    bits_view(b, &y);
    return bits_equal(&x, &y);
}

static bool equal_boxed(EStack *stack, Range *r, Term a, Term b) {
    Term x = boxed_header(a), y = boxed_header(b);
    switch (header_kind(x)) {
    case KIND_FLAT_MAP:
    case KIND_HASH_MAP: return x == y && enter_maps_equal(stack, r, a, b);
    case KIND_MAP_NODE: return header_kind(y) == KIND_MAP_NODE && enter_nodes(stack, r, a, b);
    case KIND_SUB_BITS:
    case KIND_BIN_REF:
    case KIND_HEAP_BITS: return equal_bits(a, b);
    default: {
        unsigned rank = term_rank(a);
        if (rank != term_rank(b))
            return false;
        if (rank == RANK_FUN)
            return enter_funs(stack, r, a, b) == 0;
        return (rank == RANK_NUMBER ? compare_numbers(a, b, r->mode == MODE_EXACT) : compare_leaves(a, b, rank)) == 0;
    }
    }
}

static noinline bool equal_others(EStack *stack, Range *r, Term a, Term b) {
    if (is_boxed(a) && is_boxed(b))
        return equal_boxed(stack, r, a, b);
    if (is_list(a) && is_list(b)) {
        enter_pairs(stack, r, a, b);
        return true;
    }
    return is_number(a) && is_number(b) && compare_numbers(a, b, r->mode == MODE_EXACT) == 0;
}

/* Different words; cells only of map nodes. */
static inline bool equal_objects(EStack *stack, Range *r, Term a, Term b) {
    if (is_boxed(a) && is_boxed(b) && is_tuple(a)) {
        Term header = boxed_header(a);
        if (header != boxed_header(b))
            return false;
        range_enter(stack, r, (Range){tuple_elements(a), tuple_elements(b), header_arity(header), r->mode});
        return true;
    }
    Range inner = *r;
    bool same = equal_others(stack, &inner, a, b);
    *r = inner;
    return same;
}

/* The range stays in registers: what is called gets a copy of it. */
static noinline bool equal(Term first, Term second, bool exact) {
    ESTACK(stack);
    Range r = {&first, &second, 1, exact ? MODE_EXACT : MODE_LOOSE};
    unsigned left = LONG_WORK_ROUND;
    do {
        while (r.count > 0) {
            Term a = *r.a++, b = *r.b++;
            r.count--;
            left = long_work_step(left, UNITS_PER_PAIR);
            if (a == b)
                continue;
            if (is_list(a) && is_list(b) && likely(r.mode != MODE_CHILDREN)) {
                enter_cells(&stack, &r, a, b, &left);
            } else if (!equal_objects(&stack, &r, a, b)) {
                long_work_rest(left, UNITS_PER_PAIR);
                return false;
            }
        }
    } while (range_pop(&stack, &r));
    long_work_rest(left, UNITS_PER_PAIR);
    return true;
}

static bool equal_flat_maps(Term a, Term b, bool exact) {
    size_t size = flat_map_size(a), at = flat_maps_differ_at(a, b);
    if (at == size)
        return true;
    if (at < size && exact && term_differs_plainly(flat_map_ptr(a)->values[at], flat_map_ptr(b)->values[at]))
        return false;
    return equal(a, b, exact);
}

/* Two different words that are elements of elements. */
static inline TermGlance leaves_plainly(Term a, Term b, bool exact) {
    if (exact ? term_differs_plainly(a, b) : term_is_unequal_plainly(a, b))
        return TERM_DIFFERENT;
    if (is_boxed(a) && is_boxed(b) && is_boxed_kind(a, KIND_HEAP_BITS))
        return is_boxed_kind(b, KIND_HEAP_BITS) ? heap_bits_plainly(a, b) : TERM_UNCLEAR;
    return TERM_UNCLEAR;
}

/* The first cells of two lists. */
static TermGlance cells_plainly(Term a, Term b, bool exact) {
    for (size_t i = 0; i < PLAIN_ELEMENTS && is_list(a) && is_list(b); i++) {
        Term x = list_head(a), y = list_head(b);
        TermGlance glance = x == y ? TERM_SAME : leaves_plainly(x, y, exact);
        a = list_tail(a);
        b = list_tail(b);
        if (glance != TERM_SAME || a == b)
            return glance;
    }
    return is_list(a) && is_list(b) ? TERM_UNCLEAR : leaves_plainly(a, b, exact);
}

/* Two different words that are elements: tuples of little and strings are looked into. */
static inline TermGlance elements_plainly(Term a, Term b, bool exact) {
    TermGlance glance = is_list(a) && is_list(b) ? cells_plainly(a, b, exact) : leaves_plainly(a, b, exact);
    if (glance != TERM_UNCLEAR || !are_tuples_of_one_size(a, b) || tuple_arity(a) > PLAIN_ELEMENTS)
        return glance;
    const Term *x = tuple_elements(a), *y = tuple_elements(b), *end = x + tuple_arity(a);
    for (glance = TERM_SAME; x < end && glance == TERM_SAME; x++, y++)
        glance = *x == *y ? TERM_SAME : leaves_plainly(*x, *y, exact);
    return glance;
}

static inline TermGlance words_plainly(const Term *x, const Term *y, size_t count, bool exact) {
    for (size_t i = 0; i < count; i++) {
        TermGlance glance = x[i] == y[i] ? TERM_SAME : elements_plainly(x[i], y[i], exact);
        if (glance != TERM_SAME)
            return glance;
    }
    return TERM_SAME;
}

static inline TermGlance opaque_plainly(const Term *x, const Term *y, size_t words) {
    for (size_t i = 1; i <= words; i++)
        if (x[i] != y[i])
            return TERM_DIFFERENT;
    return TERM_SAME;
}

/* Of as many numbers, which fill whole words: others may be the same by zeros. */
static inline TermGlance refs_plainly(Term a, Term b, size_t words) {
    const Ref *x = (const Ref *)boxed_ptr(a), *y = (const Ref *)boxed_ptr(b);
    bool are_alike = x->count == y->count && x->count % 2 == 1;
    return are_alike ? opaque_plainly(boxed_ptr(a), boxed_ptr(b), words) : TERM_UNCLEAR;
}

/* Of two different words of the same header: keys that are small tuples, and integers, are compared most. */
static inline TermGlance boxed_plainly(Term a, Term b, bool exact) {
    const Term *x = boxed_ptr(a), *y = boxed_ptr(b);
    size_t words = header_arity(x[0]);
    if (is_tuple(a))
        return words <= PLAIN_ELEMENTS ? words_plainly(x + 1, y + 1, words, exact) : TERM_UNCLEAR;
    if (is_boxed_kind(a, KIND_HEAP_BITS))
        return heap_bits_plainly(a, b);
    if (is_boxed_kind(a, KIND_REF))
        return refs_plainly(a, b, words);
    return is_big(a) && words <= PLAIN_ELEMENTS ? opaque_plainly(x, y, words) : TERM_UNCLEAR;
}

/* Strings as binaries, small tuples, strings and numbers are compared most: they need none of the above. */
static inline TermGlance glance(Term a, Term b, bool exact) {
    if (!exact && is_self_float(a) && is_self_float(b))
        return self_float_value(a) == self_float_value(b) ? TERM_SAME : TERM_DIFFERENT;
    if (is_list(a))
        return is_list(b) ? cells_plainly(a, b, exact) : TERM_DIFFERENT;
    if (is_boxed(a) && is_boxed(b) && boxed_header(a) == boxed_header(b))
        return boxed_plainly(a, b, exact);
    return TERM_UNCLEAR;
}

TermGlance term_equal_glance(Term a, Term b) { return glance(a, b, false); }
TermGlance term_identical_glance(Term a, Term b) { return glance(a, b, true); }

static inline bool equal_terms(Term a, Term b, bool exact) {
    if (is_boxed(a) && is_bitstring(a))
        return is_boxed(b) && equal_bits(a, b);
    if (is_boxed(a) && is_boxed(b) && is_flat_map(a) && boxed_header(a) == boxed_header(b))
        return equal_flat_maps(a, b, exact);
    TermGlance seen = glance(a, b, exact);
    return seen == TERM_UNCLEAR ? equal(a, b, exact) : seen == TERM_SAME;
}

bool term_equal_slow(Term a, Term b) { return equal_terms(a, b, false); }
bool term_identical_slow(Term a, Term b) { return equal_terms(a, b, true); }
