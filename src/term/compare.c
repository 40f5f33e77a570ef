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

#define FIRST_WORDS 16 /* that are looked at beforehand */

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
    int order = compare_words(size, map_size(b));
    if (order != 0)
        return order;
    if (is_flat_map(a) && !release_has(RELEASE_ATOM_KEYS_BY_INDEX)) { /* else keys may stand in another order */
        enter_flat_maps(stack, r, a, b);
        return 0;
    }
    return enter_unsorted_maps(stack, r, a, b, jobs);
}

/* Two different words of the same rank, not lists and not tuples of one size. */
static noinline int compare_others(EStack *stack, Range *r, Term a, Term b, unsigned rank, MapJob **jobs) {
    switch (rank) {
    case RANK_MAP: return enter_maps(stack, r, a, b, jobs);
    case RANK_FUN: return enter_funs(stack, r, a, b);
    case RANK_TUPLE: return compare_words(tuple_arity(a), tuple_arity(b));
    case RANK_NUMBER: return compare_numbers(a, b, r->mode == MODE_EXACT);
    default: return compare_leaves(a, b, rank);
    }
}

/* The values that are first are those of the keys that are first. */
static inline bool are_flat_maps_in_order(Term a, Term b) {
    return are_boxed(a, b) && is_flat_map(a) && boxed_header(a) == boxed_header(b) &&
           !release_has(RELEASE_ATOM_KEYS_BY_INDEX) && have_same_keys(a, b);
}

/* Two different words that are neither small integers nor cells: their order, 0 or UNCLEAR when they are entered. */
force_inline int compare_objects(EStack *stack, Range *r, Term a, Term b, MapJob **jobs, unsigned *left) {
    if (are_tuples_of_one_size(a, b))
        return enter_tuples(stack, r, a, b, (Range){.count = 0}, left);
    if (are_flat_maps_in_order(a, b)) {
        range_enter(stack, r, (Range){flat_map_ptr(a)->values, flat_map_ptr(b)->values, flat_map_size(a), r->mode});
        return 0;
    }
    int seen = order_at_a_glance(a, b);
    if (seen != UNCLEAR)
        return seen;
    assume(term_rank(a) == term_rank(b)); /* that they differ shows at a glance */
    Range inner = *r;
    int order = compare_others(stack, &inner, a, b, term_rank(a), jobs);
    *r = inner;
    return order;
}

/* Until an order is known, or all of the innermost job is equal. */
force_inline int compare_ranges(EStack *stack, Range *r, MapJob **jobs, unsigned *left) {
    for (;; range_pop(stack, r)) {
        while (r->count > 0) {
            Term a = *r->a++, b = *r->b++;
            r->count--;
            *left = long_work_step(*left, UNITS_PER_PAIR);
            if (a == b)
                continue;
            if (are_small(a, b))
                return (SWord)a < (SWord)b ? -1 : 1;
            int order =
                are_lists(a, b) ? enter_cells(stack, r, a, b, left) : compare_objects(stack, r, a, b, jobs, left);
            if (order != 0 && order != UNCLEAR)
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
    int order = release_has(RELEASE_ATOM_KEYS_BY_INDEX) ? UNCLEAR : order_at_a_glance(p[at], q[at]);
    return order != 0 && order != UNCLEAR ? order : compare(a, b, exact);
}

/* Of the same rank. What holds no other terms needs no stack. */
static noinline int compare_of_rank(Term a, Term b, Rank rank, bool exact) {
    switch (rank) {
    case RANK_NUMBER: return compare_numbers(a, b, exact);
    case RANK_TUPLE:
    case RANK_MAP:
    case RANK_FUN:
    case RANK_LIST: return compare(a, b, exact);
    default: return compare_leaves(a, b, rank);
    }
}

static inline int order_of_tuples(Term a, Term b) {
    int order;
    unsigned left = LONG_WORK_ROUND; /* more than there is */
    size_t arity = tuple_arity(a), count = arity < FIRST_WORDS ? arity : FIRST_WORDS;
    size_t at = elements_differ_at(tuple_elements(a), tuple_elements(b), count, &order, &left);
    return at == FIRST_WORDS && arity > FIRST_WORDS ? UNCLEAR : order;
}

static inline int compare_terms(Term a, Term b, bool exact) {
    if (are_lists(a, b)) {
        int order = order_of_cells(a, b);
        return order != UNCLEAR ? order : compare(a, b, exact);
    }
    if (are_tuples_of_one_size(a, b)) {
        int order = order_of_tuples(a, b);
        return order != UNCLEAR ? order : compare(a, b, exact);
    }
    if (is_boxed(a) && is_boxed(b) && is_flat_map(a) && boxed_header(a) == boxed_header(b))
        return compare_flat_maps(a, b, exact);
    int order = order_of_plain(a, b);
    if (order == UNCLEAR)
        order = order_at_a_glance(a, b);
    return order != UNCLEAR ? order : compare_of_rank(a, b, term_rank(a), exact);
}

int term_compare_slow(Term a, Term b) { return compare_terms(a, b, false); }
int term_compare_exact_slow(Term a, Term b) { return compare_terms(a, b, true); }
