/*
 * The order of terms: one loop over pairs of ranges (compare_range.h). Whether they are equal is in equal.c.
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
#include "term/compare_range.h"
#include "term/map.h"

static int compare_sizes(size_t a, size_t b) { return a < b ? -1 : a > b; }

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
