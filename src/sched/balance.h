/*
 * Run queues are evened out: equal processes get equal turns, whichever queue they stand in.
 *
 * Stealing (process/run_queue.h) is for who has nothing to run. A scheduler that always has something would never look
 * at others: with three computations on two schedulers one would get as much as the other two; and of two queues with
 * as many normal processes, those that share theirs with an urgent one would never run. So each scheduler looks, after
 * a period of work of its own, at what others had in their last periods:
 *
 *   load      how many stood in the queue, by priority, on average: it counts between slices
 *   capacity  the part of its work that was left to that priority by those that are more urgent
 *
 * Of a queue whose processes get fewer turns than its own (capacity / load) it takes so many that both get the same,
 * rounded: where one is too many, they take that one in turn. Normal and low share their capacity, as they share the
 * turns in a queue.
 *
 * A period is a number of reductions and slices, no time: a scheduler that sleeps has no period, and steals.
 *
 * Counting is done by the thread that serves the queue. `load` and `capacity` may be read by all; `load` is written by
 * its own scheduler, and lowered by who takes from it, so that two do not take the same surplus. They are hints: no
 * process can be lost by a wrong one.
 */
#ifndef VIV_SCHED_BALANCE_H
#define VIV_SCHED_BALANCE_H

#include "process/run_queue.h"

#define BALANCE_UNITS_PER_SLICE 32

typedef struct {
    /* By the thread that serves the queue. */
    uint64_t work[PRIORITY_COUNT]; /* reductions and slices of this period */
    uint64_t stood[PRIORITY_COUNT];
    unsigned counts_taken;
    /* Shared, as above. */
    _Atomic int32_t load[PRIORITY_COUNT];     /* 1/BALANCE_ONE processes */
    _Atomic uint32_t capacity[PRIORITY_COUNT]; /* 1/BALANCE_ONE of all */
    _Atomic bool has_work;  /* since it last slept */
    _Atomic uint64_t round; /* the last one in which it had a period */
} __attribute__((aligned(CACHE_LINE))) Balance;

#define BALANCE_ONE 256

/* Once, after run_queues_init. */
void balances_init(void);
/* Of a queue. */
Balance *balance_at(unsigned index);

/* By the thread that serves the queue: */

/* After a slice of one that was taken at that priority. */
static inline void balance_worked(Balance *b, Priority priority, uint64_t reductions) {
    b->work[priority] += reductions + BALANCE_UNITS_PER_SLICE;
}
/* Between slices, now and then. Takes from others, if the period is over. */
void balance_look(unsigned index);
/* It has nothing to run. */
void balance_rest(unsigned index);

/* How many rounds are over: a round is, when each that has work has had a period in it. */
uint64_t balance_rounds(void);

#endif
