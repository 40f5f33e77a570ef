/*
 * One loop over pairs of ranges of words. A range is what is still to be compared of a cell, tuple, environment or map;
 * what must wait lies on the explicit stack as (a, b, count << 2 | mode). Lists run without the stack: a cell is a
 * range of two words, and its tail is the range's last.
 *
 * For two maps whose keys do not stand in term order the smallest of some keys is to be found first (compare_map.h):
 * the loop then turns to that, as a MapJob, and comes back to the range that it left. Jobs within jobs stand in a
 * chain, not on the C stack.
 */
#include "term/compare.h"

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/long_work.h"
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

#define UNITS_PER_PAIR 4

static int compare_sizes(size_t a, size_t b) { return a < b ? -1 : a > b; }

static void enter_flat_maps(EStack *stack, Range *r, Term a, Term b) {
    FlatMap *x = flat_map_ptr(a), *y = flat_map_ptr(b);
    size_t size = flat_map_size(a);
    range_enter(stack, r, (Range){x->values, y->values, size, r->mode});
    if (x->keys != y->keys)
        range_enter(stack, r, (Range){tuple_elements(x->keys), tuple_elements(y->keys), size, MODE_EXACT});
}

typedef struct MapJob MapJob;
struct MapJob {
    MapJob *outer;
    MapDifference *differences;
    size_t count, at, best; /* [at] is being compared with [best] */
    size_t height;          /* of the stack, below what the comparison pushes */
    Range resume;
};

static void job_compare(MapJob *job, Range *r) {
    *r = (Range){&job->differences[job->best].key, &job->differences[job->at].key, 1, MODE_EXACT};
}

/* The smallest key is known: back to the range that was left, with the order of the maps, or into their values. */
static int job_finish(MapJob **jobs, EStack *stack, Range *r) {
    MapJob *job = *jobs;
    MapDifference first = job->differences[job->best];
    *jobs = job->outer;
    *r = job->resume;
    mem_free(ALLOC_TEMP, job->differences);
    mem_free(ALLOC_TEMP, job);
    if (!first.a || !first.b)
        return first.a ? -1 : 1;
    range_enter(stack, r, (Range){first.a, first.b, 1, r->mode});
    return 0;
}

/* A comparison of two keys of the innermost job is over. The order of its maps, if that is known now. */
static int job_step(MapJob **jobs, EStack *stack, Range *r, int order) {
    MapJob *job = *jobs;
    stack->top = stack->base + job->height;
    if (order > 0)
        job->best = job->at;
    if (++job->at == job->count)
        return job_finish(jobs, stack, r);
    job_compare(job, r);
    return 0;
}

static int enter_unsorted_maps(EStack *stack, Range *r, Term a, Term b, MapJob **jobs) {
    size_t count;
    MapDifference *differences = map_differences(a, b, r->mode == MODE_EXACT, &count);
    if (!differences)
        return 0;
    MapJob *job = mem_alloc(ALLOC_TEMP, sizeof *job);
    *job = (MapJob){*jobs, differences, count, 1, 0, estack_count(stack), *r};
    *jobs = job;
    if (count == 1)
        return job_finish(jobs, stack, r);
    job_compare(job, r);
    return 0;
}

static int enter_maps(EStack *stack, Range *r, Term a, Term b, MapJob **jobs) {
    size_t size = map_size(a);
    int order = compare_sizes(size, map_size(b));
    if (order != 0)
        return order;
    if (is_flat_map(a) && !release_has(RELEASE_ATOM_KEYS_BY_INDEX)) { /* else keys may stand in another order */
        enter_flat_maps(stack, r, a, b);
        return 0;
    }
    return enter_unsorted_maps(stack, r, a, b, jobs);
}

static int enter_funs(EStack *stack, Range *r, Term a, Term b) {
    int order = compare_fun_entries(a, b);
    if (order == 0 && is_local_fun(a))
        range_enter(stack, r, (Range){fun_ptr(a)->env, fun_ptr(b)->env, fun_free_count(a), r->mode});
    return order;
}

/* Two different words of the same rank. */
static int compare_same_rank(EStack *stack, Range *r, Term a, Term b, unsigned rank, MapJob **jobs) {
    switch (rank) {
    case RANK_TUPLE: {
        int order = compare_sizes(tuple_arity(a), tuple_arity(b));
        if (order == 0)
            range_enter(stack, r, (Range){tuple_elements(a), tuple_elements(b), tuple_arity(a), r->mode});
        return order;
    }
    case RANK_LIST: range_enter(stack, r, (Range){list_ptr(a), list_ptr(b), 2, r->mode}); return 0;
    case RANK_MAP: return enter_maps(stack, r, a, b, jobs);
    case RANK_FUN: return enter_funs(stack, r, a, b);
    case RANK_NUMBER: return compare_numbers(a, b, r->mode == MODE_EXACT);
    default: return compare_leaves(a, b, rank);
    }
}

static int compare(Term first, Term second, bool exact) {
    ESTACK(stack);
    MapJob *jobs = NULL;
    Range r = {&first, &second, 1, exact ? MODE_EXACT : MODE_LOOSE};
    int order = 0;
    unsigned left = LONG_WORK_ROUND;
    for (;;) {
        while (r.count > 0 && order == 0) {
            Term a = *r.a++, b = *r.b++;
            r.count--;
            left = long_work_step(left, UNITS_PER_PAIR);
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
            order = rank != other ? (rank < other ? -1 : 1) : compare_same_rank(&stack, &r, a, b, rank, &jobs);
        }
        size_t floor = jobs ? jobs->height : 0;
        if (order == 0 && estack_count(&stack) > floor)
            range_pop(&stack, &r);
        else if (jobs)
            order = job_step(&jobs, &stack, &r, order);
        else
            break;
    }
    long_work_rest(left, UNITS_PER_PAIR);
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
    unsigned left = LONG_WORK_ROUND;
    do {
        while (r.count > 0) {
            Term a = *r.a++, b = *r.b++;
            r.count--;
            left = long_work_step(left, UNITS_PER_PAIR);
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
            if (!same) {
                long_work_rest(left, UNITS_PER_PAIR);
                return false;
            }
        }
    } while (range_pop(&stack, &r));
    long_work_rest(left, UNITS_PER_PAIR);
    return true;
}

bool term_equal_slow(Term a, Term b) { return equal(a, b, false); }
bool term_identical_slow(Term a, Term b) { return equal(a, b, true); }
