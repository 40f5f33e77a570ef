/*
 * Work that takes longer than a time slice.
 *
 * C code whose work grows with its input and that has no place to stop (comparison, hash, copy, a collection, a
 * product of huge integers, ...) counts what it does, or is about to do, in units of roughly a nanosecond.
 *
 * When most of a slice's units are used up, the process has no reductions left: one that calls for many things each of
 * which is short leaves the engine behind the one that it is in, and that is all. When the rest is used up, too, the
 * thread gives its *scheduler* away: another thread takes the run queue over and runs the other processes, and this one
 * finishes the call that it is in. So nothing is saved and nothing is done twice, at whatever depth the work is: the
 * process stays with its thread, as on a dirty thread, until the engine is left; then the thread gives the process back
 * and waits to take a scheduler over itself. Signals to the process wait meanwhile. Input that is small costs one
 * subtraction.
 *
 * Who works long while it holds no pointer into shared structures and no lock says so (LONG_WORK_OPEN, or
 * long_work_open and long_work_close): such a thread goes offline for thread progress, and nobody waits for it.
 * Otherwise it stays online: safe, but then what waits for thread progress (freeing, the end of a code load) waits for
 * the work.
 *
 * What a thread has read of "its" scheduler (run_queue_self, a wheel, a counter or a table that only that scheduler's
 * thread writes) is of no use any more once it has counted: the next who writes there may be another thread. And what
 * thread progress keeps good (process_find) is good no longer than to the next count in an open section. Who holds such
 * a thing says LONG_WORK_FORBID: to the end of the block nothing is counted, and debug builds panic if something is,
 * however small. In debug builds VIV_GIVE_AWAY=N in the environment gives the scheduler away at every N-th count, and
 * takes all input for large, so that all that may follow a count is tried.
 *
 * Such a thread, which holds nothing that others wait for, also stands back when many work long: `stand_back` may let
 * it sleep, after each slice's worth of units that it is offline with, and hears of it when it is online again.
 *
 * All state is the thread's own. `leave_soon` and `give_away` are installed by sched/ for its threads, before they run
 * a process; on other threads counting has no effect. The first writes the process's reductions and nothing else; the
 * second may take a lock of the highest rank and start a thread; it must not build terms.
 */
#ifndef VIV_BASE_LONG_WORK_H
#define VIV_BASE_LONG_WORK_H

#include "base/defs.h"

#define LONG_WORK_UNITS 1000000 /* of a slice */
#define LONG_WORK_GRACE 250000  /* the last of them: for the call in which it is told to leave */
#define LONG_WORK_UNITS_PER_REDUCTION 250

typedef struct {
    int64_t left;  /* of the round's units */
    int64_t round; /* units that it has */
    int64_t spent; /* in this slice, in rounds before */
    uint32_t open; /* depth of open sections */
    bool exceeded; /* in this slice: who is in it is to leave */
    bool has_had_grace;
    bool is_offline;
    uint32_t absences;
    uint32_t forbidden; /* depth; debug builds */
    void (*leave_soon)(void); /* or NULL */
    void (*give_away)(void);
    void (*stand_back)(bool is_over); /* or NULL */
} LongWork;
extern __thread LongWork long_work_here;

#ifdef VIV_DEBUG
extern unsigned long_work_torture; /* VIV_GIVE_AWAY, or 0; set before threads start */
void long_work_chance(void);       /* at each count */
void long_work_forbid(void);
void long_work_allow(const bool *is_forbidden);
#define LONG_WORK_FORBID                                                                                               \
    __attribute__((cleanup(long_work_allow))) const bool long_work_forbidden = (long_work_forbid(), true)
#else
#define long_work_torture 0
static inline void long_work_chance(void) {}
#define LONG_WORK_FORBID ((void)0)
#endif

void long_work_round_is_over(void);
/* The units are used up; or what is about to be done is known to take long, and the scheduler better goes at once. */
void long_work_exceeded(void);
/* In an open section: what comes next may wait, for as long as it likes, for what is outside. The scheduler goes at
 * once, and the thread is none of the few that work long. */
void long_work_waits(void);
static inline void long_work_count(int64_t units) {
    long_work_chance();
    if (unlikely((long_work_here.left -= units) < 0))
        long_work_round_is_over();
}
/* The work is exceeded after `units`, if not before: nothing is counted by that. */
static inline void long_work_hurry(int64_t units) {
    LongWork *w = &long_work_here;
    w->has_had_grace = true;
    if (w->left > units) {
        w->spent -= w->left - units;
        w->left = units;
    }
}
/* Steps of a loop, counted by the round: `left` begins with LONG_WORK_ROUND, long_work_rest counts the last ones. */
#define LONG_WORK_ROUND 1024
unsigned long_work_round(unsigned units_each);
static inline unsigned long_work_step(unsigned left, unsigned units_each) {
    return likely(--left > 0) ? left : long_work_round(units_each);
}
static inline void long_work_rest(unsigned left, unsigned units_each) {
    long_work_count((LONG_WORK_ROUND - left) * units_each);
}
/* Elements of which a few are small work: not worth counting then. */
#define LONG_WORK_LEAST 1024
static inline void long_work_count_large(size_t elements, unsigned units_each) {
    if (unlikely(elements >= LONG_WORK_LEAST))
        long_work_count((int64_t)(elements * units_each));
    else
        long_work_chance();
}

/* Between the two the calling thread holds no lock and no pointer that thread progress keeps good. They nest. What is
 * called there may do so (a destructor, that a collection calls) between thread_progress_enter and _leave, and the
 * thread stays online there. */
static inline void long_work_open(void) { long_work_here.open++; }
void long_work_come_back(void);
static inline void long_work_close(void) {
    if (unlikely((--long_work_here.open == 0) & long_work_here.is_offline))
        long_work_come_back();
}
static inline void long_work_close_section(const bool *is_open) {
    if (*is_open)
        long_work_close();
}
/* To the end of the block; or only for input that is large. */
#define LONG_WORK_OPEN                                                                                                 \
    __attribute__((cleanup(long_work_close_section))) const bool long_work_section = (long_work_open(), true)
#define LONG_WORK_OPEN_IF(large)                                                                                       \
    __attribute__((cleanup(long_work_close_section))) const bool long_work_section =                                   \
        ((large) || long_work_torture) && (long_work_open(), true)

/* Changes when the calling thread goes offline: pointers from before are no good any more. */
static inline uint32_t long_work_absences(void) { return long_work_here.absences; }

/* The calling thread is about to end the program: whatever it does is no long work any more. */
void long_work_none(void);

/* By the scheduler, around a slice. The end gives the units counted since the beginning. */
void long_work_begin(void);
int64_t long_work_end(void);
/* The same in the middle of a slice. */
static inline int64_t long_work_units(void) {
    return long_work_here.spent + long_work_here.round - long_work_here.left;
}
/* Did the slice exceed its units? Then the process ought to leave the engine at the next chance. */
static inline bool long_work_is_exceeded(void) { return long_work_here.exceeded; }

#endif
