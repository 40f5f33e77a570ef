/*
 * One loop over pairs of ranges of words. A range is what is still to be compared of a cell, tuple, environment or map;
 * what must wait lies on the explicit stack as (a, b, count << 2 | mode). Lists run without the stack: a cell is a
 * range of two words, and its tail is the range's last.
 */
#include "term/compare.h"

#include "base/estack.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare_leaf.h"
#include "term/compare_map.h"
#include "term/map.h"

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

static int compare_sizes(size_t a, size_t b) { return a < b ? -1 : a > b; }

static void enter_flat_maps(EStack *stack, Range *r, Term a, Term b) {
    FlatMap *x = flat_map_ptr(a), *y = flat_map_ptr(b);
    size_t size = flat_map_size(a);
    range_enter(stack, r, (Range){x->values, y->values, size, r->mode});
    if (x->keys != y->keys)
        range_enter(stack, r, (Range){tuple_elements(x->keys), tuple_elements(y->keys), size, MODE_EXACT});
}

static int enter_maps(EStack *stack, Range *r, Term a, Term b, SortedMaps **sorted) {
    size_t size = map_size(a);
    int order = compare_sizes(size, map_size(b));
    if (order != 0)
        return order;
    if (is_flat_map(a)) {
        enter_flat_maps(stack, r, a, b);
        return 0;
    }
    SortedMaps *s = sorted_maps_make(a, b);
    s->next = *sorted;
    *sorted = s;
    range_enter(stack, r, (Range){s->values_a, s->values_b, size, r->mode});
    range_enter(stack, r, (Range){s->keys_a, s->keys_b, size, MODE_EXACT});
    return 0;
}

static int enter_funs(EStack *stack, Range *r, Term a, Term b) {
    int order = compare_fun_entries(a, b);
    if (order == 0 && is_local_fun(a))
        range_enter(stack, r, (Range){fun_ptr(a)->env, fun_ptr(b)->env, fun_free_count(a), r->mode});
    return order;
}

/* Two different words of the same rank. */
static int compare_same_rank(EStack *stack, Range *r, Term a, Term b, unsigned rank, SortedMaps **sorted) {
    switch (rank) {
    case RANK_TUPLE: {
        int order = compare_sizes(tuple_arity(a), tuple_arity(b));
        if (order == 0)
            range_enter(stack, r, (Range){tuple_elements(a), tuple_elements(b), tuple_arity(a), r->mode});
        return order;
    }
    case RANK_LIST: range_enter(stack, r, (Range){list_ptr(a), list_ptr(b), 2, r->mode}); return 0;
    case RANK_MAP: return enter_maps(stack, r, a, b, sorted);
    case RANK_FUN: return enter_funs(stack, r, a, b);
    case RANK_NUMBER: return compare_numbers(a, b, r->mode == MODE_EXACT);
    default: return compare_leaves(a, b, rank);
    }
}

static int compare(Term first, Term second, bool exact) {
    ESTACK(stack);
    SortedMaps *sorted = NULL;
    Range r = {&first, &second, 1, exact ? MODE_EXACT : MODE_LOOSE};
    int order = 0;
    do {
        while (r.count > 0 && order == 0) {
            Term a = *r.a++, b = *r.b++;
            r.count--;
            if (a == b)
                continue;
            if (are_small(a, b)) {
                order = (SWord)a < (SWord)b ? -1 : 1;
                break;
            }
            if (is_list(a) && is_list(b)) {
                range_enter(&stack, &r, (Range){list_ptr(a), list_ptr(b), 2, r.mode});
                continue;
            }
            unsigned rank = term_rank(a), other = term_rank(b);
            order = rank != other ? (rank < other ? -1 : 1) : compare_same_rank(&stack, &r, a, b, rank, &sorted);
        }
    } while (order == 0 && range_pop(&stack, &r));
    sorted_maps_free(sorted);
    return order;
}

int term_compare_slow(Term a, Term b) {
    return is_atom(a) && is_atom(b) ? atom_compare(a, b) : compare(a, b, false);
}
int term_compare_exact_slow(Term a, Term b) {
    return is_atom(a) && is_atom(b) ? atom_compare(a, b) : compare(a, b, true);
}

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

static void enter_cells(EStack *stack, Range *r, Term a, Term b) {
    const Term *x = list_ptr(a), *y = list_ptr(b);
    if (r->mode != MODE_CHILDREN) {
        range_enter(stack, r, (Range){x, y, 2, r->mode});
        return;
    }
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

static bool equal_boxed(EStack *stack, Range *r, Term a, Term b) {
    Term x = boxed_header(a), y = boxed_header(b);
    switch (header_kind(x)) {
    case KIND_TUPLE:
        if (x != y)
            return false;
        range_enter(stack, r, (Range){tuple_elements(a), tuple_elements(b), header_arity(x), r->mode});
        return true;
    case KIND_FLAT_MAP:
    case KIND_HASH_MAP: return x == y && enter_maps_equal(stack, r, a, b);
    case KIND_MAP_NODE: return header_kind(y) == KIND_MAP_NODE && enter_nodes(stack, r, a, b);
    default: {
        unsigned rank = term_rank(a);
        if (rank != term_rank(b))
            return false;
        if (rank == RANK_BITS && bits_size(a) != bits_size(b))
            return false;
        if (rank == RANK_FUN)
            return enter_funs(stack, r, a, b) == 0;
        return (rank == RANK_NUMBER ? compare_numbers(a, b, r->mode == MODE_EXACT) : compare_leaves(a, b, rank)) == 0;
    }
    }
}

static bool equal(Term first, Term second, bool exact) {
    ESTACK(stack);
    Range r = {&first, &second, 1, exact ? MODE_EXACT : MODE_LOOSE};
    do {
        while (r.count > 0) {
            Term a = *r.a++, b = *r.b++;
            r.count--;
            if (a == b)
                continue;
            bool same;
            if (is_list(a) && is_list(b)) {
                enter_cells(&stack, &r, a, b);
                continue;
            }
            if (is_boxed(a) && is_boxed(b))
                same = equal_boxed(&stack, &r, a, b);
            else
                same = is_number(a) && is_number(b) && compare_numbers(a, b, r.mode == MODE_EXACT) == 0;
            if (!same)
                return false;
        }
    } while (range_pop(&stack, &r));
    return true;
}

bool term_equal_slow(Term a, Term b) { return equal(a, b, false); }
bool term_identical_slow(Term a, Term b) { return equal(a, b, true); }
