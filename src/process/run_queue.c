#include "process/run_queue.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/dirty_queue.h"
#include "sys/spin.h"

#define STEAL_MAX 64
#define STEAL_LOOKS (16 * STEAL_MAX)
#define COUNT_NS 1000000

/* Four at once are a crowd, and two, one behind the other, some ten times. What is over by then is not worth waking
 * anybody: sooner, echoes over TCP cost a quarter more. */
#define CROWD_OF_ONE 16
#define CROWD_CALLS (6 * CROWD_OF_ONE)
#define CROWD_MOST (64 * CROWD_OF_ONE)
#define CROWD_LEAVES 8 /* a part so large, each time that nobody is left */

static RunQueue *queues;
static unsigned queue_count;
static _Atomic unsigned open_count;
__thread RunQueue *run_queue_here;
_Atomic uint64_t reductions_elsewhere;
static _Atomic unsigned sleeping_count;
static _Atomic bool thief_called;

void run_queues_init(unsigned count) {
    queues = mem_calloc(ALLOC_SCHEDULER, (count + 1) * sizeof *queues);
    queues = (RunQueue *)(((uintptr_t)queues + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1));
    queue_count = count;
    atomic_store(&open_count, count);
    for (unsigned i = 0; i < count; i++) {
        mutex_init(&queues[i].lock, LOCK_RUN_QUEUE);
        event_init(&queues[i].event);
        queues[i].index = i;
    }
}

unsigned run_queue_count(void) { return queue_count; }
RunQueue *run_queue_at(unsigned index) { return &queues[index]; }
void run_queue_set_self(RunQueue *rq) { run_queue_here = rq; }

/* In the one order: who resets his event and finds his queue open has not forgotten the call of who closes it. */
static bool is_closed(const RunQueue *rq) { return atomic_load(&rq->is_closed); }

/* Locked: `rq`, or one that is open in its stead. Who closes lowers open_count first, who opens raises it last. */
static RunQueue *lock_open(RunQueue *rq) {
    mutex_lock(&rq->lock);
    while (unlikely(is_closed(rq))) {
        mutex_unlock(&rq->lock);
        rq = &queues[rq->index % atomic_load(&open_count)];
        mutex_lock(&rq->lock);
    }
    return rq;
}

/* `p` stands in `rq`, or is about to. */
static Standing *standing_of(RunQueue *rq, const Process *p) {
    return likely(p->bound_queue == 0) ? &rq->standing : &rq->bound;
}

/* The queue that it is bound to, or else `rq`, or one that is open in its stead. */
static RunQueue *lock_for(const Process *p, RunQueue *rq) {
    if (likely(p->bound_queue == 0))
        return lock_open(rq);
    rq = &queues[p->bound_queue - 1];
    mutex_lock(&rq->lock);
    return rq;
}

static void change_length(RunQueue *rq, const Process *p, int by) {
    _Atomic uint32_t *length = likely(p->bound_queue == 0) ? &rq->length : &rq->bound_length;
    atomic_store(length, atomic_load_explicit(length, memory_order_relaxed) + (uint32_t)by);
}

static void comes(RunQueue *rq, Process *p) {
    atomic_store_explicit(&p->run_place.queue, rq->index + 1, memory_order_relaxed);
    change_length(rq, p, 1);
}

static void append_locked(RunQueue *rq, Process *p) {
    standing_append(standing_of(rq, p), &p->run_place, process_run_priority(p));
    comes(rq, p);
}

static void prepend_locked(RunQueue *rq, Process *p) {
    standing_prepend(standing_of(rq, p), &p->run_place, process_run_priority(p));
    comes(rq, p);
}

static Process *goes(RunQueue *rq, QueuePlace *place) {
    Process *p = container_of(place, Process, run_place);
    atomic_store_explicit(&place->queue, 0, memory_order_relaxed);
    change_length(rq, p, -1);
    return p;
}

static Process *take_from(RunQueue *rq, Standing *s) {
    QueuePlace *place = standing_take(s);
    return place != NULL ? goes(rq, place) : NULL;
}

/* Those of the most urgent; of those that are as urgent the ones whose turn it is. */
static Standing *choose_locked(RunQueue *rq) {
    if (likely(atomic_load_explicit(&rq->bound_length, memory_order_relaxed) == 0) || is_closed(rq))
        return &rq->standing;
    Priority any = standing_level(&rq->standing), bound = standing_level(&rq->bound);
    bool is_bound = bound < any || (bound == any && (rq->bound_is_next = !rq->bound_is_next));
    return is_bound ? &rq->bound : &rq->standing;
}

Process *run_queue_take(RunQueue *rq) {
    if (!run_queue_has_work(rq))
        return NULL;
    mutex_lock(&rq->lock);
    Process *p = take_from(rq, choose_locked(rq));
    if (unlikely(rq->crowd > 0) && !run_queue_has_work(rq))
        rq->crowd -= (rq->crowd + CROWD_LEAVES - 1) / CROWD_LEAVES;
    mutex_unlock(&rq->lock);
    return p;
}

void run_queue_call(RunQueue *rq) { event_wake(&rq->event); }

/* Who adds to a queue does so before he looks here; who was called lets another one be called before he looks at the
 * queues. Who finds nobody asleep has kept others from calling meanwhile: he looks again, in their stead. */
static void call_thief(void) {
    while (atomic_load(&sleeping_count) > 0 && !atomic_load(&thief_called) && !atomic_exchange(&thief_called, true)) {
        for (unsigned i = 0; i < queue_count; i++) {
            if (atomic_load(&queues[i].is_sleeping)) {
                run_queue_call(&queues[i]);
                return;
            }
        }
        atomic_store(&thief_called, false);
    }
}

bool run_queue_call_sleeper(void) {
    if (atomic_load_explicit(&sleeping_count, memory_order_relaxed) == 0)
        return false;
    for (unsigned i = 0; i < queue_count; i++) {
        if (atomic_load_explicit(&queues[i].is_sleeping, memory_order_relaxed)) {
            run_queue_call(&queues[i]);
            return true;
        }
    }
    return false;
}

static bool runs_computation(const RunQueue *rq) {
    return atomic_load_explicit(&rq->runs_computation, memory_order_relaxed);
}

/* So many stand there now. True: they are a crowd. */
static bool is_crowded_locked(RunQueue *rq, uint32_t standing) {
    if (standing <= 1)
        return false;
    rq->crowd += CROWD_OF_ONE * (standing - 1);
    if (rq->crowd > CROWD_MOST)
        rq->crowd = CROWD_MOST;
    return rq->crowd >= CROWD_CALLS || rq != run_queue_here;
}

static void add_to(RunQueue *rq, Process *p, void enter_locked(RunQueue *rq, Process *p)) {
    rq = lock_for(p, rq);
    enter_locked(rq, p);
    uint32_t length = atomic_load_explicit(&rq->length, memory_order_relaxed);
    bool is_crowded = is_crowded_locked(rq, run_queue_length(rq));
    mutex_unlock(&rq->lock);
    race_window("a process is queued, nobody called");
    if (rq != run_queue_here)
        run_queue_call(rq);
    if (length > 0 && (is_crowded || runs_computation(rq)))
        call_thief();
}

static RunQueue *home_of(const Process *p) {
    return &queues[atomic_load_explicit(&p->home_queue, memory_order_relaxed)];
}

static bool is_idle(const RunQueue *rq) {
    return atomic_load_explicit(&rq->is_sleeping, memory_order_relaxed) ||
           atomic_load_explicit(&rq->is_looking, memory_order_relaxed);
}

static RunQueue *queue_for(const Process *p) {
    RunQueue *here = run_queue_here, *home = home_of(p);
    return here == NULL || (runs_computation(here) && is_idle(home)) ? home : here;
}

void run_queue_add(Process *p) { add_to(queue_for(p), p, append_locked); }

static void add_to_front(Process *p) {
    add_to(run_queue_here != NULL ? run_queue_here : home_of(p), p, prepend_locked);
}

void run_queue_add_beside(Process *p) {
    RunQueue *home = home_of(p);
    if (atomic_load_explicit(&home->is_looking, memory_order_relaxed))
        add_to(home, p, append_locked);
    else
        run_queue_add(p);
}

void process_wake(Process *p) {
    if (process_set_queued(p))
        run_queue_add(p);
}

void process_end_later(Process *p) { atomic_fetch_or(&p->state, STATE_ENDS_LATER); }

/* Before it has left the slice, it finds that itself (leave). */
void process_end_goes_on(Process *p) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed), next;
    do
        next = (state & ~STATE_ENDS_LATER) | (state & STATE_RUNNING ? 0 : STATE_QUEUED);
    while (!atomic_compare_exchange_weak(&p->state, &state, next));
    if (!(state & STATE_RUNNING))
        run_queue_add(p);
}

/* Two run queue locks are never held at once: what is taken from one stands in no list for a moment. */
typedef struct {
    Process *process[STEAL_MAX];
    unsigned count;
} Haul;

static void haul_locked(Haul *haul, RunQueue *from, unsigned wanted) {
    Process *p;
    haul->count = 0;
    while (haul->count < wanted && haul->count < STEAL_MAX && (p = take_from(from, &from->standing)) != NULL)
        haul->process[haul->count++] = p;
}

/* The queue that it came into. */
static RunQueue *put_down(const Haul *haul, RunQueue *to) {
    to = lock_open(to);
    for (unsigned i = 0; i < haul->count; i++)
        append_locked(to, haul->process[i]);
    mutex_unlock(&to->lock);
    return to;
}

/* From the end, those of one priority: they have waited least. They come in the order in which they stood. */
static void haul_level_locked(Haul *haul, RunQueue *from, Priority level, unsigned wanted) {
    haul->count = 0;
    QueuePlace *place = standing_last(&from->standing, level), *before;
    for (unsigned looked = 0; place != NULL && haul->count < wanted && looked < STEAL_LOOKS; looked++, place = before) {
        before = standing_before(&from->standing, place);
        if (place->priority == level) {
            standing_remove(&from->standing, place);
            haul->process[STEAL_MAX - ++haul->count] = goes(from, place);
        }
    }
    memmove(haul->process, haul->process + STEAL_MAX - haul->count, haul->count * sizeof *haul->process);
}

static void counts_locked(const RunQueue *rq, uint32_t counts[PRIORITY_COUNT]) {
    for (unsigned level = 0; level < PRIORITY_COUNT; level++)
        counts[level] = rq->standing.count[level] + rq->bound.count[level];
}

void run_queue_counts(RunQueue *rq, uint32_t counts[PRIORITY_COUNT]) {
    mutex_lock(&rq->lock);
    counts_locked(rq, counts);
    mutex_unlock(&rq->lock);
}

bool run_queue_try_counts(RunQueue *rq, uint32_t counts[PRIORITY_COUNT]) {
    Spin spin = spin_begin(COUNT_NS);
    bool has_lock;
    do
        has_lock = mutex_try_lock(&rq->lock);
    while (!has_lock && spin_goes_on(&spin));
    if (!has_lock)
        return false;
    counts_locked(rq, counts);
    mutex_unlock(&rq->lock);
    return true;
}

unsigned run_queue_pull(RunQueue *to, RunQueue *from, Priority level, unsigned wanted) {
    Haul haul;
    if (is_closed(to))
        return 0;
    mutex_lock(&from->lock);
    haul_level_locked(&haul, from, level, wanted < STEAL_MAX ? wanted : STEAL_MAX);
    mutex_unlock(&from->lock);
    RunQueue *into = put_down(&haul, to);
    if (into != to)
        run_queue_call(into);
    return haul.count;
}

static bool steal_from(RunQueue *victim, RunQueue *thief) {
    Haul haul;
    unsigned wanted = (atomic_load(&victim->length) + 1) / 2;
    if (wanted == 0)
        return false;
    mutex_lock(&victim->lock);
    haul_locked(&haul, victim, wanted);
    mutex_unlock(&victim->lock);
    RunQueue *to = put_down(&haul, thief);
    if (to != thief)
        run_queue_call(to);
    return haul.count > 0;
}

/* One alone is left to the scheduler that is about to take it, unless that is not soon. Whether it is alone is asked
 * first: who sees what was added sees that it stands behind a computation. */
static bool is_worth_stealing_from(RunQueue *victim, bool called) {
    uint32_t length = atomic_load(&victim->length);
    return length > 1 || (length == 1 && (called || atomic_load(&victim->is_sleeping) || runs_computation(victim) ||
                                          atomic_load(&victim->bound_length) > 0));
}

bool run_queue_steal(RunQueue *rq, bool called) {
    for (unsigned i = 1; i < queue_count && !is_closed(rq); i++) {
        RunQueue *victim = &queues[(rq->index + i) % queue_count];
        if (is_worth_stealing_from(victim, called) && steal_from(victim, rq))
            return true;
    }
    return false;
}

bool run_queue_others_are_full(const RunQueue *rq) {
    for (unsigned i = 0; i < queue_count && !is_closed(rq); i++)
        if (i != rq->index && is_worth_stealing_from(&queues[i], false))
            return true;
    return false;
}

void run_queue_call_next(void) {
    if (atomic_load_explicit(&sleeping_count, memory_order_relaxed) == 0)
        return;
    for (unsigned i = 0; i < queue_count; i++) {
        if (is_worth_stealing_from(&queues[i], false)) {
            call_thief();
            return;
        }
    }
}

/* True: as a thief. Who was seen asleep when that was called may have been awake by then: he lets the next one be
 * called all the same. */
static bool woke(RunQueue *rq) {
    atomic_fetch_sub(&sleeping_count, 1);
    atomic_store(&rq->is_sleeping, false);
    return atomic_load(&thief_called) && atomic_exchange(&thief_called, false);
}

/* Between the announcement and the wait the queues are looked at once more: whoever adds looks for sleepers after. */
bool run_queue_sleep(RunQueue *rq, int64_t deadline(unsigned index), RunQueueWait *wait) {
    event_reset(&rq->event);
    if (atomic_load(&rq->is_closed)) { /* ordered after the reset: who changes it calls */
        (void)event_wait(&rq->event, deadline(rq->index));
        return false;
    }
    atomic_store(&rq->is_sleeping, true);
    atomic_fetch_add(&sleeping_count, 1);
    race_window("a scheduler says that it sleeps, and looks once more");
    bool is_empty = atomic_load(&rq->length) == 0 && atomic_load(&rq->bound_length) == 0;
    if (is_empty && !run_queue_others_are_full(rq))
        wait(&rq->event, deadline(rq->index));
    return woke(rq);
}

/* What stood in it goes to an open one. Its scheduler is called, so that it goes to sleep as that of a closed queue. */
static void close_queue(RunQueue *rq) {
    Haul haul;
    mutex_lock(&rq->lock);
    atomic_store(&rq->is_closed, true);
    mutex_unlock(&rq->lock);
    do {
        mutex_lock(&rq->lock);
        haul_locked(&haul, rq, STEAL_MAX);
        mutex_unlock(&rq->lock);
        if (haul.count > 0)
            run_queue_call(put_down(&haul, rq));
    } while (haul.count > 0);
    run_queue_call(rq);
    call_thief();
}

static void open_queue(RunQueue *rq) {
    mutex_lock(&rq->lock);
    atomic_store(&rq->is_closed, false);
    mutex_unlock(&rq->lock);
    run_queue_call(rq);
}

void run_queues_set_open(unsigned count) {
    unsigned before = atomic_load(&open_count);
    if (count < before)
        atomic_store(&open_count, count);
    for (unsigned i = count; i < before; i++)
        close_queue(&queues[i]);
    for (unsigned i = before; i < count; i++)
        open_queue(&queues[i]);
    if (count > before)
        atomic_store(&open_count, count);
}

/* True: it stands there. The length stays as it is: whoever goes to sleep may be looking at it. */
static bool moved_up_in(RunQueue *rq, Process *p) {
    QueuePlace *place = &p->run_place;
    mutex_lock(&rq->lock);
    bool is_here = atomic_load_explicit(&place->queue, memory_order_relaxed) == rq->index + 1;
    if (is_here && process_run_priority(p) < place->priority) {
        Standing *s = standing_of(rq, p);
        standing_remove(s, place);
        standing_append(s, place, process_run_priority(p));
    }
    mutex_unlock(&rq->lock);
    return is_here;
}

void run_queue_move_up(Process *p) {
    unsigned queue = atomic_load_explicit(&p->run_place.queue, memory_order_relaxed); /* that it is said to stand in */
    if (queue != 0 && moved_up_in(&queues[queue - 1], p))
        return;
    for (unsigned i = 0; i < queue_count; i++)
        if (moved_up_in(&queues[i], p))
            return;
}

/* The raise ends before the signals are looked at: who raises it later has pushed his before that, or is yet to. */
bool process_enter(Process *p) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&p->state, &state,
                                         (state & ~(STATE_QUEUED | STATE_RAISED_MASK)) | STATE_RUNNING)) {
    }
    return (state & STATE_RAISED_MASK) != 0;
}

static void leave(Process *p, bool wants_more, void add(Process *p)) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed), left;
    do {
        left = state & ~STATE_RUNNING;
        if (!wants_more)
            left &= ~STATE_ACTIVE;
        if (unlikely(left & STATE_ENDS_LATER))
            continue;
        if (process_state_has_work(left) || atomic_load_explicit(&p->signals_in, memory_order_relaxed))
            left |= STATE_QUEUED;
    } while (!atomic_compare_exchange_weak(&p->state, &state, left));
    if (left & STATE_QUEUED)
        add(p);
    else if (unlikely(left & STATE_ENDS_LATER))
        return; /* it may be another thread's already */
    else if (atomic_load(&p->signals_in))
        process_wake(p);
}

/* Those that stand there have a computation among them: it takes no crowd. */
static void add_computing(Process *p) {
    run_queue_add(p);
    const RunQueue *here = run_queue_here;
    if (here != NULL && run_queue_length(here) > 1 && atomic_load(&here->length) > 0)
        call_thief();
}

void process_leave(Process *p, bool wants_more) {
    leave(p, wants_more, p->flags & FLAG_COMPUTES_ON ? add_computing : run_queue_add);
}
void process_leave_to_front(Process *p) { leave(p, true, add_to_front); }
