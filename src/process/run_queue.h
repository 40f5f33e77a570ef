/*
 * Run queues: one for each scheduler, with the four priorities.
 *
 * A process stands in at most one queue (STATE_QUEUED). Whoever wakes a process puts it into his own scheduler's queue
 * (its memory is warm there), or, if he is no scheduler, into the one where it ran last. Other schedulers are called
 * only when a queue holds more than the process that its scheduler will take next, and has done so for a while: it is
 * crowded. So processes that talk in turns stay on one core, no system call is made for them, and what a few do one
 * after the other, as while a node starts, is done in that order. Who adds to another scheduler's queue does not know
 * what that one is busy with, and calls at once; and so does who puts a computation, a process whose last two slices
 * ended for want of reductions, where another stands. What stands behind one would wait for the rest of a slice: it
 * goes where it ran last, if nothing runs there, and whoever looks for work takes it, though it be alone. A tracer that
 * is woken by an event has nothing to answer: it goes where it ran last, if nothing else runs there.
 *
 * A sleeping scheduler that is called so is a thief. Only one is on its way at a time: from the call until it is awake,
 * whatever it then does; it calls the next one when there is more to take.
 *
 * Schedulers that always have something to run take from each other what evens their queues out (sched/balance.h).
 *
 * Order: by priority (process/standing.h). A queue's lists are under its lock (RUN_QUEUE); `length` is written under it
 * and read by anyone.
 *
 * Nobody waits for one that is less urgent than himself, and so may never run: who asks something of a process raises
 * it, after his signal is in its list, to his own priority (STATE_RAISED), until the next time that it has been taken,
 * when it handles what has come; and who waits for what a process has to give back lends it his (STATE_LENT), until it
 * has. One that stands in a queue then moves up there. Who raises sets the bits first, and then looks for it under the
 * lock of each queue: he finds it, or who appends it, under that lock and later, sees the bits. One that was taken for
 * what others had asked, and has done it, goes back to the front of its own list: it is not put off, nor does it get a
 * slice ahead of those that are more urgent than itself. In the hands of the dirty threads it stays raised until its
 * call is over, which does not bring it forward in a dirty queue: what was asked is done without that
 * (process/dirty_gate.h). What was lent to it does.
 *
 * A process may be bound to a queue: it stands and runs in no other. Those are in lists of their own, of which nobody
 * steals. When the most urgent of both kinds are as urgent, they are taken in turn.
 *
 * A queue may be closed, but for the first: nothing comes into it any more, who would add to it adds to an open one,
 * and its scheduler, when it has run what it runs, sleeps; it still looks after its timers. `is_closed` changes under
 * the queue's lock, so nobody adds to a queue after it was closed. What is bound to it stands there until it is open.
 * How many are open is the business of sched/online.h.
 *
 * No wake-up is lost. A scheduler that is about to sleep forgets earlier calls (event_reset), announces that it sleeps,
 * then looks at its queue and those of others, then waits. Who adds changes `length`, then calls the queue's scheduler,
 * or looks who has announced. Each writes, then reads what the other has written, and all are sequentially consistent:
 * one of the two sees the other. A call that comes between the look and the wait is kept by the event (sys/thread.h);
 * what other calls were for that it has forgotten (rounds, callbacks of thread progress), `deadline` looks at. A thief
 * that was called, and so keeps others from being called, looks again when it has said that it is done; so does who was
 * about to call one, and found nobody.
 * test/model/m_sleepers.c tries all executions.
 */
#ifndef VIV_PROCESS_RUN_QUEUE_H
#define VIV_PROCESS_RUN_QUEUE_H

#include "process/process_table.h"
#include "sys/thread.h"

typedef struct RunQueue {
    Mutex lock;
    Standing standing, bound; /* under the lock */
    _Atomic uint32_t length, bound_length;
    bool bound_is_next; /* under the lock */
    uint32_t crowd; /* under the lock: how often, lately, some stood behind the next one */
    unsigned index;
    SysEvent event; /* its scheduler sleeps on it */
    _Atomic bool is_sleeping; /* written by its scheduler */
    _Atomic bool is_looking; /* the same: it has nothing to run, and is awake */
    _Atomic bool is_closed; /* written under the lock */
    _Atomic bool runs_computation; /* written by its scheduler */
    /* Counts of its scheduler, written by it alone: */
    _Atomic uint64_t reductions, context_switches;
} __attribute__((aligned(CACHE_LINE))) RunQueue;

/* What threads count that have given their queue away. */
extern _Atomic uint64_t reductions_elsewhere;

/* Once, before any process is made. */
void run_queues_init(unsigned count);
unsigned run_queue_count(void);
RunQueue *run_queue_at(unsigned index);
/* Closes all but the first `count`, or opens that many. One caller at a time. */
void run_queues_set_open(unsigned count);
/* The calling scheduler's queue; NULL on other threads. */
extern __thread RunQueue *run_queue_here;
static inline RunQueue *run_queue_self(void) { return run_queue_here; }
void run_queue_set_self(RunQueue *rq);

static inline uint32_t run_queue_length(const RunQueue *rq) {
    return atomic_load_explicit(&rq->length, memory_order_relaxed) +
           atomic_load_explicit(&rq->bound_length, memory_order_relaxed);
}
/* Does anything stand in it that its scheduler may run? */
static inline bool run_queue_has_work(const RunQueue *rq) {
    return atomic_load_explicit(&rq->length, memory_order_relaxed) > 0 ||
           (unlikely(atomic_load_explicit(&rq->bound_length, memory_order_relaxed) > 0) &&
            !atomic_load_explicit(&rq->is_closed, memory_order_relaxed));
}

/* `p` has STATE_QUEUED, set by the caller. */
void run_queue_add(Process *p);
/* Who adds it goes on: it comes into the queue where it ran last, if the scheduler of that looks for work, so that the
 * two run beside each other. */
void run_queue_add_beside(Process *p);
/* Who is asleep has STATE_QUEUED then. True: the caller has set it, and adds it to a queue. Any thread. */
static inline bool process_set_queued(Process *p) {
    uint32_t state = atomic_load(&p->state);
    do {
        if (state & (STATE_RUNNING | STATE_QUEUED | STATE_FREE | STATE_LEFT))
            return false;
    } while (!atomic_compare_exchange_weak(&p->state, &state, (state & ~STATE_HAS_BOUND) | STATE_QUEUED));
    if (unlikely(state & STATE_HAS_BOUND))
        process_table_set_bound(p, BIRTH_NEVER); /* it stands in no queue yet: nobody can run it before */
    return true;
}
/* Makes p run soon, unless it runs, is queued, or has left the table. Any thread. */
void process_wake(Process *p);
/* One that has left the table, and still tells others of its end, may wait in between. By itself: from the end of its
 * slice on it is in no queue, until somebody who got to know of it after this calls process_end_goes_on, once; any
 * thread. */
void process_end_later(Process *p);
void process_end_goes_on(Process *p);
static inline bool process_ends_later(const Process *p) {
    return (atomic_load_explicit(&p->state, memory_order_acquire) & STATE_ENDS_LATER) != 0;
}
/* The next one by priority; NULL when there is none that may run. It still has STATE_QUEUED. */
Process *run_queue_take(RunQueue *rq);
/* Moves about half of a fuller queue to `rq`; false when there is none, or `rq` is closed. `called`: by one who was
 * called, who takes what is there. */
bool run_queue_steal(RunQueue *rq, bool called);
/* Is there something to steal for it? Before it sleeps. */
bool run_queue_others_are_full(const RunQueue *rq);
/* How many stand in it, bound or not, by priority. */
void run_queue_counts(RunQueue *rq, uint32_t counts[PRIORITY_COUNT]);
/* The same by a program that ends, where who has the lock may never give it back. False: he has not. */
must_check bool run_queue_try_counts(RunQueue *rq, uint32_t counts[PRIORITY_COUNT]);
/* Moves at most `wanted` of that priority, those that have waited least, and a part of them if they are many. How many
 * came. By the scheduler of `to`. */
unsigned run_queue_pull(RunQueue *to, RunQueue *from, Priority level, unsigned wanted);
/* Calls a thief if there is something to take: by one who was called, or has found something. */
void run_queue_call_next(void);
/* Until called, or until what `deadline` says (clock_monotonic, negative: no end): it is asked when a call is not
 * missed any more. `wait` is event_wait, or what may return earlier. True: called as a thief. */
typedef bool RunQueueWait(SysEvent *event, int64_t deadline);
must_check bool run_queue_sleep(RunQueue *rq, int64_t deadline(unsigned index), RunQueueWait *wait);
/* Calls a scheduler that sleeps, and whose queue is open. False: none does. */
bool run_queue_call_sleeper(void);
void run_queue_call(RunQueue *rq); /* wakes its scheduler */

/* QUEUED becomes RUNNING: the caller owns the process, which is not in the hands of the dirty threads, and handles its
 * signals. True: it was raised for those. */
bool process_enter(Process *p);
/* The owner gives it up. `wants_more`: it has not finished its work. It is queued again when there is something to
 * do. */
void process_leave(Process *p, bool wants_more);
/* Of the `state` of one that nobody runs: has it something to do, signals apart? */
static inline bool process_state_has_work(uint32_t state) {
    return (state & (STATE_EXITING | STATE_TASKS)) || (state & (STATE_ACTIVE | STATE_SUSPENDED)) == STATE_ACTIVE;
}
/* The same of one that has not run: it has done what it was raised for. */
void process_leave_to_front(Process *p);
/* One that stands in a queue, and may have become more urgent. */
void run_queue_move_up(Process *p);

/* priority.c */
/* Any thread that may look pids up, after it has pushed a signal for which somebody of that priority waits. */
void process_raise_priority(Process *p, Priority priority);
/* Under LOCK_PERMISSIONS: what those who wait for it lend it now; PRIORITY_LOW: nothing. True: that has become more. */
bool process_lend_priority(Process *p, Priority priority);

#endif
