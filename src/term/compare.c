/*
 * The order of terms: one loop over pairs of ranges (compare_range.h). Whether they are equal is in equal.c.
 *
 * For two maps whose keys do not stand in term order the smallest key at which they differ is to be found
 * (compare_map.h): the loop then turns to that, as a MapJob, and comes back to the range that it left. Jobs within jobs
 * stand in a chain, not on the C stack.
 */
#include "term/compare.h"

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/long_work.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare_leaf.h"
#include "term/compare_map.h"
#include "term/compare_range.h"
#include "term/map.h"

#include <string.h>

static int compare_sizes(size_t a, size_t b) { return a < b ? -1 : a > b; }

typedef struct MapJob MapJob;
struct MapJob {
    MapJob *outer;
    MapDifference *differences;
    size_t count, at;
    const MapDifference *best; /* of those before [at] that differ the one with the smallest key, or NULL */
    int order;                 /* of the maps, by that */
    bool is_key;               /* [at]'s key is being compared with the best's; else its values are */
    size_t height;             /* of the stack, below what the comparison pushes */
    Range resume;
};

static bool is_of_values(const MapDifference *d) { return d->a && d->b; }

/* The first key that differs is known, or that there is none: back to the range that was left. */
static int job_finish(MapJob **jobs, Range *r) {
    MapJob *job = *jobs;
    int order = job->order;
    *jobs = job->outer;
    *r = job->resume;
    mem_free(ALLOC_TEMP, job->differences);
    mem_free(ALLOC_TEMP, job);
    return order;
}

static void job_take(MapJob *job, int order) {
    job->best = &job->differences[job->at++];
    job->order = order;
}

/* Turns to the next difference. */
static int job_next(MapJob **jobs, Range *r) {
    MapJob *job = *jobs;
    if (!job->best && job->at < job->count && !is_of_values(job->differences))
        job_take(job, job->differences->a ? -1 : 1);
    if (job->at == job->count)
        return job_finish(jobs, r);
    const MapDifference *d = &job->differences[job->at];
    job->is_key = job->best != NULL;
    *r = job->is_key ? (Range){&job->best->key, &d->key, 1, MODE_EXACT} : (Range){d->a, d->b, 1, job->resume.mode};
    return 0;
}

/* A comparison for the innermost job is over. The order of its maps, if that is known now. A value counts, and is
 * looked at, only where its key is smaller than that of the best: so all are looked at once at most. */
static int job_step(MapJob **jobs, EStack *stack, Range *r, int order) {
    MapJob *job = *jobs;
    const MapDifference *d = &job->differences[job->at];
    stack->top = stack->base + job->height;
    if (job->is_key && order > 0 && is_of_values(d)) {
        job->is_key = false;
        *r = (Range){d->a, d->b, 1, job->resume.mode};
        return 0;
    }
    if (job->is_key ? order > 0 : order != 0)
        job_take(job, !job->is_key ? order : d->a ? -1 : 1);
    else
        job->at++;
    return job_next(jobs, r);
}

static noinline int jobs_step(MapJob **jobs, EStack *stack, Range *r, int order) {
    do
        order = job_step(jobs, stack, r, order);
    while (order != 0 && *jobs);
    return order;
}

static int enter_unsorted_maps(EStack *stack, Range *r, Term a, Term b, MapJob **jobs) {
    size_t count;
    MapDifference *differences = map_differences(a, b, r->mode == MODE_EXACT, &count);
    if (!differences)
        return 0;
    MapJob *job = mem_alloc(ALLOC_TEMP, sizeof *job);
    *job = (MapJob){
        .outer = *jobs, .differences = differences, .count = count, .height = estack_count(stack), .resume = *r};
    *jobs = job;
    return job_next(jobs, r);
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

/* Two different words of the same rank, not tuples and not lists. */
static noinline int compare_others(EStack *stack, Range *r, Term a, Term b, unsigned rank, MapJob **jobs) {
    switch (rank) {
    case RANK_MAP: return enter_maps(stack, r, a, b, jobs);
    case RANK_FUN: return enter_funs(stack, r, a, b);
    case RANK_NUMBER: return compare_numbers(a, b, r->mode == MODE_EXACT);
    default: return compare_leaves(a, b, rank);
    }
}

static inline int compare_tuples(EStack *stack, Range *r, Term a, Term b) {
    int order = compare_sizes(tuple_arity(a), tuple_arity(b));
    if (order == 0)
        range_enter(stack, r, (Range){tuple_elements(a), tuple_elements(b), tuple_arity(a), r->mode});
    return order;
}

/* Two different words that are neither small integers nor cells. */
static inline int compare_objects(EStack *stack, Range *r, Term a, Term b, MapJob **jobs) {
    if (is_tuple(a) && is_tuple(b))
        return compare_tuples(stack, r, a, b);
    unsigned rank = term_rank(a), other = term_rank(b);
    if (rank != other)
        return rank < other ? -1 : 1;
    Range inner = *r;
    int order = compare_others(stack, &inner, a, b, rank, jobs);
    *r = inner;
    return order;
}

/* Until an order is known, or all of the innermost job is equal. */
static inline int compare_ranges(EStack *stack, Range *r, MapJob **jobs, unsigned *left) {
    for (;; range_pop(stack, r)) {
        while (r->count > 0) {
            Term a = *r->a++, b = *r->b++;
            r->count--;
            *left = long_work_step(*left, UNITS_PER_PAIR);
            if (a == b)
                continue;
            if (are_small(a, b))
                return (SWord)a < (SWord)b ? -1 : 1;
            if (is_list(a) && is_list(b)) {
                enter_cells(stack, r, a, b, left);
                continue;
            }
            int order = compare_objects(stack, r, a, b, jobs);
            if (order != 0)
                return order;
        }
        if (estack_count(stack) == (*jobs ? (*jobs)->height : 0))
            return 0;
    }
}

/* The range stays in registers: what is called gets a copy of it. */
static noinline int compare(Term first, Term second, bool exact) {
    ESTACK(stack);
    MapJob *jobs = NULL;
    Range r = {&first, &second, 1, exact ? MODE_EXACT : MODE_LOOSE};
    unsigned left = LONG_WORK_ROUND;
    for (;;) {
        int order = compare_ranges(&stack, &r, &jobs, &left);
        bool is_last = jobs == NULL;
        if (!is_last) {
            Range next = r;
            order = jobs_step(&jobs, &stack, &next, order);
            r = next;
        }
        if (is_last || order != 0) {
            long_work_rest(left, UNITS_PER_PAIR);
            return order;
        }
    }
}

/* Of two different words; 0: that is not seen at a glance. */
static inline int order_at_a_glance(Term a, Term b) {
    if (are_small(a, b))
        return (SWord)a < (SWord)b ? -1 : 1;
    if (is_self_float(a) && is_self_float(b))
        return self_float_value(a) < self_float_value(b) ? -1 : self_float_value(a) > self_float_value(b);
    return is_atom(a) && is_atom(b) ? atom_compare(a, b) : 0;
}

/* Small maps of one size need none of the above where they are the same, or where the first key, or else the first
 * value, that is another is a small integer or an atom in both. */
static int compare_flat_maps(Term a, Term b, bool exact) {
    const FlatMap *x = flat_map_ptr(a), *y = flat_map_ptr(b);
    const Term *p = tuple_elements(x->keys), *q = tuple_elements(y->keys);
    size_t size = flat_map_size(a), at = p == q ? size : words_differ_at(p, q, size);
    if (at == size) {
        p = x->values;
        q = y->values;
        at = words_differ_at(p, q, size);
        if (at == size)
            return 0;
    }
    int order = release_has(RELEASE_ATOM_KEYS_BY_INDEX) ? 0 : order_at_a_glance(p[at], q[at]);
    return order != 0 ? order : compare(a, b, exact);
}

static inline bool is_heap_bytes(Term t) {
    return header_kind(boxed_header(t)) == KIND_HEAP_BITS && ((const HeapBits *)boxed_ptr(t))->size % 8 == 0;
}

/* Whole bytes that lie on heaps. */
static int compare_heap_bytes(Term a, Term b) {
    const HeapBits *x = (const HeapBits *)boxed_ptr(a), *y = (const HeapBits *)boxed_ptr(b);
    int order = memcmp(x->bytes, y->bytes, (x->size < y->size ? x->size : y->size) / 8);
    return order != 0 ? order : compare_sizes(x->size, y->size);
}

/* Of lists, by their first cells; 0: it does not show, or (*same) they are the same. */
static inline int order_of_cells_plainly(Term a, Term b, bool *same) {
    for (size_t i = 0; i < PLAIN_ELEMENTS && is_list(a) && is_list(b); i++) {
        *same = false;
        if (list_head(a) != list_head(b))
            return order_at_a_glance(list_head(a), list_head(b));
        a = list_tail(a);
        b = list_tail(b);
    }
    *same = a == b;
    return 0;
}

/* Of different words, which are elements. */
static inline int order_of_elements_plainly(Term a, Term b, bool *same) {
    *same = false;
    if (is_list(a) && is_list(b))
        return order_of_cells_plainly(a, b, same);
    if (!is_boxed(a) || !is_boxed(b) || !is_heap_bytes(a) || !is_heap_bytes(b))
        return order_at_a_glance(a, b);
    int order = compare_heap_bytes(a, b);
    *same = order == 0;
    return order;
}

/* Of small tuples of one size, by their first elements that are not the same; 0: it does not show, or they are. */
static inline int order_of_tuples_plainly(Term a, Term b) {
    const Term *x = tuple_elements(a), *y = tuple_elements(b);
    bool same = true;
    int order = 0;
    for (size_t i = 0, count = tuple_arity(a); i < count && i < PLAIN_ELEMENTS && same && order == 0; i++)
        if (x[i] != y[i])
            order = order_of_elements_plainly(x[i], y[i], &same);
    return order;
}

/* What holds no other terms needs no stack, nor do terms of different ranks. */
static noinline int compare_no_small(Term a, Term b, bool exact) {
    Rank rank = term_rank(a), other = term_rank(b);
    if (rank != other)
        return rank < other ? -1 : 1;
    switch (rank) {
    case RANK_NUMBER: return compare_numbers(a, b, exact);
    case RANK_TUPLE:
    case RANK_MAP:
    case RANK_FUN:
    case RANK_LIST: return compare(a, b, exact);
    default: return compare_leaves(a, b, rank);
    }
}

static inline int compare_terms(Term a, Term b, bool exact) {
    if (is_atom(a) && (is_atom(b) || is_small(b)))
        return is_small(b) ? 1 : atom_compare(a, b);
    if (is_small(a) && is_atom(b))
        return -1;
    if (is_boxed(a) && is_boxed(b) && is_flat_map(a) && boxed_header(a) == boxed_header(b))
        return compare_flat_maps(a, b, exact);
    if (is_boxed(a) && is_boxed(b) && is_heap_bytes(a) && is_heap_bytes(b))
        return compare_heap_bytes(a, b);
    bool same = false;
    int order = are_tuples_of_one_size(a, b) ? order_of_tuples_plainly(a, b)
                : is_list(a) && is_list(b)   ? order_of_cells_plainly(a, b, &same)
                : is_self_float(a)           ? order_at_a_glance(a, b)
                                             : 0;
    if (order != 0)
        return order;
    return is_list(a) && is_list(b) ? compare(a, b, exact) : compare_no_small(a, b, exact);
}

int term_compare_slow(Term a, Term b) { return compare_terms(a, b, false); }
int term_compare_exact_slow(Term a, Term b) { return compare_terms(a, b, true); }
