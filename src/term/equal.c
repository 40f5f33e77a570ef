/*
 * Whether terms are equal: a loop over pairs of words that stand in two rows, made once for == and once for =:=. What
 * is left of the rows that hold a pair waits on the explicit stack as (a, b, count), while the pair is looked into.
 * Lists run without the stack, and what cannot be equal ends it at once. Equal maps have one shape, so they are walked
 * in step: in one that is compared with =:=, keys and values are rows like others, and a cell of a trie is a cell; for
 * == keys are compared in a loop of their own, which has no loop within.
 *
 * Most terms that are compared are small, and so is what tells them apart: the first words of the first three levels
 * are looked at beforehand, without a stack or any other call.
 */
#include "term/compare.h"

#include "base/estack.h"
#include "base/long_work.h"
#include "term/bits.h"
#include "term/compare_leaf.h"
#include "term/fun.h"
#include "term/map.h"
#include "term/map_trie.h"

#include <string.h>

#define UNITS_PER_PAIR 4 /* of long work */
#define FEW_PAIRS 32     /* which are not counted */
#define FIRST_WORDS 16   /* at most, that are looked at beforehand */
#define LARGE_BITS ((Word)8 << 16) /* of bitstrings for which a section is worth opening */

_Static_assert(TERM_SAME == 1, "Seen is an answer");

typedef struct {
    EStack stack;
    bool openly, is_open; /* may an open section begin, and has it? */
} Walk;

static inline void push(Walk *w, const Term *a, const Term *b, size_t count) {
    if (count > 0)
        estack_push3(&w->stack, (Word)(uintptr_t)a, (Word)(uintptr_t)b, count);
}

static noinline void walk_open(Walk *w) {
    if (w->openly && !w->is_open) {
        long_work_open();
        w->is_open = true;
    }
}

static noinline unsigned walk_round(Walk *w) {
    walk_open(w);
    return long_work_round(UNITS_PER_PAIR);
}

/* Of walks of more than a few pairs, and after long ones. */
static noinline unsigned walk_end(Walk *w, unsigned left, unsigned result) {
    estack_release(&w->stack);
    long_work_rest(left, UNITS_PER_PAIR);
    if (w->is_open)
        long_work_close();
    return result | TERM_WORKED_LONG;
}

/* What a glance at two different words tells. */
typedef enum { DIFFERENT, SAME, UNCLEAR } Seen;

/* Do they themselves tell that they are not one term, or (not `exact`) not equal? */
static inline bool differ_plainly(Term a, Term b, bool exact) {
    return exact ? term_differs_plainly(a, b) : term_is_unequal_plainly(a, b);
}

static inline bool same_words(const Term *a, const Term *b, size_t count) {
    while (count > 0 && *a == *b)
        a++, b++, count--;
    return count == 0;
}

/* Unused bits of the last byte are zero; of the bytes behind it nothing is known. */
static inline bool same_heap_bits(Term a, Term b) {
    const HeapBits *x = (const HeapBits *)boxed_ptr(a), *y = (const HeapBits *)boxed_ptr(b);
    if (x->size != y->size)
        return false;
    size_t bytes = (x->size + 7) / 8;
    const Word *p = (const Word *)x->bytes, *q = (const Word *)y->bytes;
    for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES)
        if (*p++ != *q++)
            return false;
    return bytes == 0 || (*p ^ *q) << (64 - 8 * bytes) == 0;
}

static inline bool header_is_number(Term h) { return header_kind(h) - KIND_POS_BIG <= KIND_FLOAT - KIND_POS_BIG; }

/* Of the kinds of which most are that hold no other terms. A reference of an odd count of numbers fills whole words;
 * others may be the same by zeros. */
static inline Seen see_leaves(Term a, Term b) {
    Term h = boxed_header(a);
    if (h != boxed_header(b) || header_kind(h) - KIND_POS_BIG > KIND_REF - KIND_POS_BIG ||
        h >> HEADER_ARITY_SHIFT > FIRST_WORDS)
        return UNCLEAR;
    if (header_is(h, KIND_HEAP_BITS))
        return same_heap_bits(a, b) ? SAME : DIFFERENT;
    const Term *x = boxed_ptr(a) + 1, *y = boxed_ptr(b) + 1;
    if (same_words(x, y, header_arity(h)))
        return SAME;
    return !header_is(h, KIND_REF) || ((uint32_t)x[0] == (uint32_t)y[0] && x[0] % 2 == 1) ? DIFFERENT : UNCLEAR;
}

/* Boxed terms of different headers. */
static inline Seen see_headers(Term a, Term b, bool exact) {
    Term x = boxed_header(a), y = boxed_header(b);
    if (header_kind(x) < KIND_SUB_BITS)
        return DIFFERENT;
    if (header_is_number(x))
        return exact || (!header_is(x, KIND_FLOAT) && !header_is(y, KIND_FLOAT)) ? DIFFERENT : UNCLEAR;
    if (header_is(x, KIND_HEAP_BITS) && header_is(y, KIND_HEAP_BITS))
        return ((const HeapBits *)boxed_ptr(a))->size != ((const HeapBits *)boxed_ptr(b))->size ? DIFFERENT : UNCLEAR;
    return UNCLEAR;
}

/* Different words, not both cells and not both boxed. */
static noinline bool same_numbers(Term a, Term b) {
    return is_number(a) && is_number(b) && compare_numbers(a, b, false) == 0;
}
static inline bool same_immediates(Term a, Term b, bool exact) {
    if (exact)
        return unlikely((a | b) == 9) && (a & b) == 1 && !release_has(RELEASE_SIGNED_ZEROS);
    return !term_is_unequal_plainly(a, b) && same_numbers(a, b);
}

static noinline bool same_bits(Walk *w, Term a, Term b) {
    if (bits_size(a) != bits_size(b))
        return false;
    BitsView x, y;
    bits_view(a, &x);
    bits_view(b, &y);
    if (x.bit_size >= LARGE_BITS)
        walk_open(w);
    return bits_equal(&x, &y);
}

/* Boxed terms that hold no others. */
static noinline bool same_leaves(Walk *w, Term a, Term b, bool exact) {
    Rank rank = term_rank(a);
    if (rank != term_rank(b))
        return false;
    switch (rank) {
    case RANK_NUMBER: return compare_numbers(a, b, exact) == 0;
    case RANK_BITS: return same_bits(w, a, b);
    default: return compare_leaves(a, b, rank) == 0;
    }
}

/* Keys of one hash may stand in any order: matches them, then the values are next. */
static bool enter_collisions(Walk *w, const Term *x, const Term *y, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < count && !term_identical(list_head(x[i]), list_head(y[j])))
            j++;
        if (j == count)
            return false;
        push(w, list_ptr(x[i]) + 1, list_ptr(y[j]) + 1, 1);
    }
    return true;
}

/* For == keys are compared at once. */
static bool enter_children(Walk *w, const Term *x, const Term *y, size_t count, bool exact) {
    for (size_t i = 0; i < count; i++) {
        if (x[i] == y[i])
            continue;
        if (!is_list(x[i]) || !is_list(y[i])) {
            push(w, x + i, y + i, 1);
            continue;
        }
        const Term *p = list_ptr(x[i]), *q = list_ptr(y[i]);
        if (p[0] == q[0]) {
            if (p[1] != q[1])
                push(w, p + 1, q + 1, 1);
        } else if (exact) {
            push(w, p, q, 2);
        } else if (term_identical(p[0], q[0])) {
            push(w, p + 1, q + 1, 1);
        } else {
            return false;
        }
    }
    return true;
}

/* Tries with the same keys have the same shape. */
static bool enter_nodes(Walk *w, const Term *x, const Term *y, bool exact) {
    const Term *p = node_children(x), *q = node_children(y);
    return node_is_collision(x) ? enter_collisions(w, p, q, node_count(x))
                                : enter_children(w, p, q, node_count(x), exact);
}

/* Two boxed terms of one header that hold others, but no tuples: what they hold is next. */
static noinline bool enter(Walk *w, Term a, Term b, bool exact) {
    const Term *x = boxed_ptr(a), *y = boxed_ptr(b);
    switch (header_kind(x[0])) {
    case KIND_FLAT_MAP: {
        const FlatMap *m = flat_map_ptr(a), *n = flat_map_ptr(b);
        size_t size = flat_map_size(a);
        push(w, m->values, n->values, size);
        if (m->keys == n->keys || same_words(tuple_elements(m->keys), tuple_elements(n->keys), size))
            return true;
        if (!exact)
            return term_identical(m->keys, n->keys);
        push(w, &m->keys, &n->keys, 1);
        return true;
    }
    case KIND_HASH_MAP: push(w, &hash_map_ptr(a)->root, &hash_map_ptr(b)->root, 1); return map_size(a) == map_size(b);
    case KIND_MAP_NODE: return enter_nodes(w, x, y, exact);
    default:
        if (compare_fun_entries(a, b) != 0)
            return false;
        if (is_local_fun(a))
            push(w, fun_ptr(a)->env, fun_ptr(b)->env, fun_free_count(a));
        return true;
    }
}

/* Of two rows what is still to be looked at. */
typedef struct {
    const Term *p, *q;
    size_t count;
} Rows;

/* A look at two different words. Where it is UNCLEAR and *r is not as it was, what is left of them is there. */
typedef Seen SeeFunction(Walk *w, Rows *r, Term a, Term b, bool exact, unsigned *left);

/* They are not both lists. */
force_inline Seen see_leaf(Term a, Term b, bool exact) {
    if (are_boxed(a, b))
        return see_leaves(a, b);
    return differ_plainly(a, b, exact) ? DIFFERENT : UNCLEAR;
}

force_inline Seen see_only_leaf(Walk *w, Rows *r, Term a, Term b, bool exact, unsigned *left) {
    return are_lists(a, b) ? UNCLEAR : see_leaf(a, b, exact);
}

/* The next word's turn: false when `left` is used up, and there is no walk. */
force_inline bool goes_on(Walk *w, unsigned *left) {
    if (likely(--*left > 0))
        return true;
    if (w == NULL)
        return false;
    *left = walk_round(w);
    return true;
}

/* Goes on to the first words that need more than a look; without a walk, as far as `left` goes. */
force_inline Seen see_words(Walk *w, Rows *r, bool exact, unsigned *left, SeeFunction *see) {
    for (; r->count > 0; r->p++, r->q++, r->count--) {
        Term a = *r->p, b = *r->q;
        if (a != b) {
            Rows inner = {0};
            Seen seen = see(w, &inner, a, b, exact, left);
            if (seen == UNCLEAR && inner.count > 0 && w != NULL) {
                push(w, r->p + 1, r->q + 1, r->count - 1);
                *r = inner;
            }
            if (seen != SAME)
                return seen;
        }
        if (!goes_on(w, left))
            return UNCLEAR;
    }
    return SAME;
}

/* The same of two cells: what is left is written to *r. */
force_inline Seen see_cells(Walk *w, Rows *r, Term x, Term y, bool exact, unsigned *left, SeeFunction *see) {
    for (;;) {
        Term a = list_head(x), b = list_head(y), rest_a = list_tail(x), rest_b = list_tail(y);
        if (unlikely(a != b)) {
            Rows inner = {0};
            Seen seen = see(w, &inner, a, b, exact, left);
            if (seen == UNCLEAR && inner.count > 0 && w != NULL) {
                push(w, list_ptr(x) + 1, list_ptr(y) + 1, 1);
                *r = inner;
                return UNCLEAR;
            }
            if (seen != SAME) {
                *r = (Rows){list_ptr(x), list_ptr(y), 2};
                return seen;
            }
        }
        if (rest_a == rest_b)
            return SAME;
        if (!are_lists(rest_a, rest_b)) {
            *r = (Rows){list_ptr(x) + 1, list_ptr(y) + 1, 1};
            return differ_plainly(rest_a, rest_b, exact) ? DIFFERENT : UNCLEAR;
        }
        x = rest_a;
        y = rest_b;
        if (!goes_on(w, left)) {
            *r = (Rows){list_ptr(x), list_ptr(y), 2};
            return UNCLEAR;
        }
    }
}

force_inline Seen see_string(Walk *w, Rows *r, Term a, Term b, bool exact, unsigned *left) {
    return are_lists(a, b) ? see_cells(w, r, a, b, exact, left, see_only_leaf) : see_leaf(a, b, exact);
}

/* Most of what is in lists and tuples are leaves, and lists and tuples of such. */
force_inline Seen see_inner(Walk *w, Rows *r, Term a, Term b, bool exact, unsigned *left) {
    if (!are_boxed(a, b) || !is_tuple(a) || boxed_header(a) != boxed_header(b))
        return see_string(w, r, a, b, exact, left);
    *r = (Rows){tuple_elements(a), tuple_elements(b), tuple_arity(a)};
    return see_words(w, r, exact, left, see_string);
}

/* Boxed terms, no tuples of one size. Terms that they hold are pushed. */
static noinline bool same_objects(Walk *w, Term a, Term b, bool exact) {
    bool is_one_header = boxed_header(a) == boxed_header(b);
    Seen seen = is_one_header ? see_leaves(a, b) : see_headers(a, b, exact);
    if (seen != UNCLEAR)
        return seen == SAME;
    return is_one_header && header_kind(boxed_header(a)) < KIND_SUB_BITS ? enter(w, a, b, exact)
                                                                         : same_leaves(w, a, b, exact);
}

/* `count` pairs, at least one. */
force_inline unsigned walk(const Term *p, const Term *q, size_t count, bool exact, bool openly) {
    Walk w;
    estack_init(&w.stack);
    w.openly = openly;
    w.is_open = false;
    unsigned left = LONG_WORK_ROUND;
    bool is_same = false;
    if (long_work_torture)
        walk_open(&w);
    for (;;) {
        Term a = *p++, b = *q++;
        count--;
        if (unlikely(--left == 0))
            left = walk_round(&w);
        if (a != b) {
            Rows inner;
            Seen seen;
            if (are_lists(a, b)) {
                seen = see_cells(&w, &inner, a, b, exact, &left, see_inner);
            } else if (!are_boxed(a, b)) {
                seen = same_immediates(a, b, exact);
            } else if (is_tuple(a) && boxed_header(a) == boxed_header(b)) {
                inner = (Rows){tuple_elements(a), tuple_elements(b), tuple_arity(a)};
                seen = see_words(&w, &inner, exact, &left, see_inner);
            } else {
                push(&w, p, q, count);
                count = 0;
                seen = same_objects(&w, a, b, exact);
            }
            if (seen == DIFFERENT)
                break;
            if (seen == UNCLEAR) {
                push(&w, p, q, count);
                p = inner.p;
                q = inner.q;
                count = inner.count;
                continue;
            }
        }
        if (count > 0)
            continue;
        is_same = estack_is_empty(&w.stack);
        if (is_same)
            break;
        const Word *words = estack_drop(&w.stack, 3);
        p = (const Term *)(uintptr_t)words[0];
        q = (const Term *)(uintptr_t)words[1];
        count = words[2];
    }
    unsigned result = is_same ? TERM_SAME : 0;
    if (unlikely(left < LONG_WORK_ROUND - FEW_PAIRS || w.is_open || w.stack.base != w.stack.fixed))
        return walk_end(&w, left, result);
    long_work_chance();
    return result;
}

static noinline unsigned walk_equal(const Term *p, const Term *q, size_t count, bool openly) {
    return walk(p, q, count, false, openly);
}
static noinline unsigned walk_identical(const Term *p, const Term *q, size_t count, bool openly) {
    return walk(p, q, count, true, openly);
}
static inline unsigned walk_rows(Rows r, bool exact, bool openly) {
    return exact ? walk_identical(r.p, r.q, r.count, openly) : walk_equal(r.p, r.q, r.count, openly);
}

static noinline unsigned walk_pair_equal(Term a, Term b, bool openly) { return walk_equal(&a, &b, 1, openly); }
static noinline unsigned walk_pair_identical(Term a, Term b, bool openly) { return walk_identical(&a, &b, 1, openly); }
static inline unsigned walk_pair(Term a, Term b, bool exact, bool openly) {
    return exact ? walk_pair_identical(a, b, openly) : walk_pair_equal(a, b, openly);
}

force_inline unsigned look_at_words(const Term *p, const Term *q, size_t count, bool exact, bool openly) {
    Rows r = {p, q, count};
    unsigned left = FIRST_WORDS;
    Seen seen = see_words(NULL, &r, exact, &left, see_inner);
    return seen == UNCLEAR ? walk_rows(r, exact, openly) : seen;
}

/* Of one size: mostly they have one tuple of keys, or equal words in it. */
force_inline unsigned look_at_flat_maps(Term a, Term b, bool exact, bool openly) {
    const FlatMap *x = flat_map_ptr(a), *y = flat_map_ptr(b);
    size_t size = flat_map_size(a);
    if (x->keys != y->keys && !same_words(tuple_elements(x->keys), tuple_elements(y->keys), size))
        return walk_pair(a, b, exact, openly);
    return look_at_words(x->values, y->values, size, exact, openly);
}

/* Of different words. */
force_inline unsigned look(Term a, Term b, bool exact, bool openly) {
    if (are_lists(a, b)) {
        Rows r;
        unsigned left = FIRST_WORDS;
        Seen seen = see_cells(NULL, &r, a, b, exact, &left, see_inner);
        return seen == UNCLEAR ? walk_rows(r, exact, openly) : seen;
    }
    if (!are_boxed(a, b))
        return same_immediates(a, b, exact);
    Term h = boxed_header(a);
    if (h == boxed_header(b) && header_is(h, KIND_TUPLE))
        return look_at_words(tuple_elements(a), tuple_elements(b), header_arity(h), exact, openly);
    if (h == boxed_header(b) && header_is(h, KIND_FLAT_MAP))
        return look_at_flat_maps(a, b, exact, openly);
    Seen seen = h == boxed_header(b) ? see_leaves(a, b) : see_headers(a, b, exact);
    return seen == UNCLEAR ? walk_pair(a, b, exact, openly) : seen;
}

static noinline unsigned look_equal(Term a, Term b, bool openly) { return look(a, b, false, openly); }
static noinline unsigned look_identical(Term a, Term b, bool openly) { return look(a, b, true, openly); }

/* What the first words that differ tell of two small tuples, for less than it costs to save registers. Keys of maps are
 * mostly told apart so. */
force_inline Seen glance(Term a, Term b, bool exact) {
    if (!are_boxed(a, b) || boxed_header(a) != boxed_header(b))
        return UNCLEAR;
    Term h = boxed_header(a);
    if (!header_is(h, KIND_TUPLE) || header_arity(h) > FIRST_WORDS)
        return UNCLEAR;
    const Term *p = tuple_elements(a), *q = tuple_elements(b), *end = p + header_arity(h);
    for (; p < end; p++, q++)
        if (*p != *q)
            return differ_plainly(*p, *q, exact) ? DIFFERENT : UNCLEAR;
    return SAME;
}

unsigned term_equal_words(Term a, Term b, bool openly) {
    Seen seen = glance(a, b, false);
    return seen == UNCLEAR ? look_equal(a, b, openly) : seen;
}

unsigned term_identical_words(Term a, Term b, bool openly) {
    Seen seen = glance(a, b, true);
    return seen == UNCLEAR ? look_identical(a, b, openly) : seen;
}
