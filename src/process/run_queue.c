#include "process/run_queue.h"

#include "alloc/alloc.h"
#include "process/signal.h"

#define STEAL_MAX 64

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

static ProcessList *list_for(Standing *s, Priority priority) {
    return priority == PRIORITY_MAX ? &s->max : priority == PRIORITY_HIGH ? &s->high : &s->normal;
}

static bool is_closed(const RunQueue *rq) { return atomic_load_explicit(&rq->is_closed, memory_order_relaxed); }

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

static void append_locked(RunQueue *rq, Process *p) {
    Priority priority = process_run_priority(p);
    p->queue_priority = priority;
    p->low_skips = priority == PRIORITY_LOW ? LOW_SKIPS : 0;
    process_list_append(list_for(&rq->standing, priority), p);
    rq->standing.count[priority]++;
    atomic_store(&rq->length, atomic_load_explicit(&rq->length, memory_order_relaxed) + 1);
}

static Process *take_locked(RunQueue *rq) {
    Standing *s = &rq->standing;
    Process *p = process_list_take(&s->max);
    if (!p)
        p = process_list_take(&s->high);
    while (!p && (p = process_list_take(&s->normal)) && p->low_skips && s->count[PRIORITY_NORMAL]) {
        p->low_skips--;
        process_list_append(&s->normal, p);
        p = NULL;
    }
    if (p) {
        s->count[p->queue_priority]--;
        atomic_store(&rq->length, atomic_load_explicit(&rq->length, memory_order_relaxed) - 1);
    }
    return p;
}

Process *run_queue_take(RunQueue *rq) {
    if (atomic_load_explicit(&rq->length, memory_order_relaxed) == 0)
        return NULL;
    mutex_lock(&rq->lock);
    Process *p = take_locked(rq);
    mutex_unlock(&rq->lock);
    return p;
}

void run_queue_call(RunQueue *rq) { event_wake(&rq->event); }

static void call_thief(void) {
    if (atomic_load(&sleeping_count) == 0 || atomic_load_explicit(&thief_called, memory_order_relaxed) ||
        atomic_exchange(&thief_called, true))
        return;
    for (unsigned i = 0; i < queue_count; i++) {
        if (atomic_load(&queues[i].is_sleeping)) {
            run_queue_call(&queues[i]);
            return;
        }
    }
    atomic_store(&thief_called, false);
}

/* Into `rq`, or one that is open in its stead. */
static void add_to(RunQueue *rq, Process *p) {
    rq = lock_open(rq);
    append_locked(rq, p);
    uint32_t length = atomic_load_explicit(&rq->length, memory_order_relaxed);
    mutex_unlock(&rq->lock);
    if (rq != run_queue_here)
        run_queue_call(rq);
    if (length > 1)
        call_thief();
}

static RunQueue *home_of(const Process *p) {
    return &queues[atomic_load_explicit(&p->home_queue, memory_order_relaxed)];
}

void run_queue_add(Process *p) { add_to(run_queue_here != NULL ? run_queue_here : home_of(p), p); }

void run_queue_add_beside(Process *p) {
    RunQueue *home = home_of(p);
    if (atomic_load_explicit(&home->is_looking, memory_order_relaxed))
        add_to(home, p);
    else
        run_queue_add(p);
}

/* Two run queue locks are never held at once: what is taken from one stands in no list for a moment. */
static bool steal_from(RunQueue *victim, RunQueue *thief) {
    Process *taken[STEAL_MAX];
    unsigned count = 0, wanted = (atomic_load(&victim->length) + 1) / 2;
    if (wanted == 0 || !mutex_try_lock(&victim->lock))
        return false;
    while (count < wanted && count < STEAL_MAX && (taken[count] = take_locked(victim)))
        count++;
    mutex_unlock(&victim->lock);
    RunQueue *to = lock_open(thief);
    for (unsigned i = 0; i < count; i++)
        append_locked(to, taken[i]);
    mutex_unlock(&to->lock);
    if (to != thief)
        run_queue_call(to);
    return count > 0;
}

static bool is_worth_stealing_from(RunQueue *victim) {
    return atomic_load(&victim->length) > (atomic_load(&victim->is_sleeping) ? 0 : 1);
}

bool run_queue_steal(RunQueue *rq) {
    for (unsigned i = 1; i < queue_count && !is_closed(rq); i++) {
        RunQueue *victim = &queues[(rq->index + i) % queue_count];
        if (is_worth_stealing_from(victim) && steal_from(victim, rq))
            return true;
    }
    return false;
}

bool run_queue_others_are_full(const RunQueue *rq) {
    for (unsigned i = 0; i < queue_count && !is_closed(rq); i++)
        if (i != rq->index && is_worth_stealing_from(&queues[i]))
            return true;
    return false;
}

void run_queue_thief_done(void) {
    if (!atomic_load_explicit(&thief_called, memory_order_relaxed))
        return;
    atomic_store(&thief_called, false);
    for (unsigned i = 0; i < queue_count; i++) {
        if (atomic_load(&queues[i].length) > 1) {
            call_thief();
            return;
        }
    }
}

/* Between the announcement and the wait the queues are looked at once more: whoever adds looks for sleepers after. */
void run_queue_sleep(RunQueue *rq, int64_t deadline(unsigned index)) {
    event_reset(&rq->event);
    if (is_closed(rq)) {
        event_wait(&rq->event, deadline(rq->index));
        return;
    }
    atomic_store(&rq->is_sleeping, true);
    atomic_fetch_add(&sleeping_count, 1);
    if (atomic_load(&rq->length) == 0 && !run_queue_others_are_full(rq))
        event_wait(&rq->event, deadline(rq->index));
    atomic_fetch_sub(&sleeping_count, 1);
    atomic_store(&rq->is_sleeping, false);
}

static void move_to(RunQueue *rq, Standing *from, uint32_t length) {
    Standing *to = &rq->standing;
    process_list_splice(&to->max, &from->max);
    process_list_splice(&to->high, &from->high);
    process_list_splice(&to->normal, &from->normal);
    for (int i = 0; i < PRIORITY_COUNT; i++)
        to->count[i] += from->count[i];
    atomic_store(&rq->length, atomic_load_explicit(&rq->length, memory_order_relaxed) + length);
}

/* What stood in it goes to an open one. Its scheduler is called, so that it goes to sleep as that of a closed queue. */
static void close_queue(RunQueue *rq) {
    mutex_lock(&rq->lock);
    Standing left = rq->standing;
    uint32_t length = atomic_load_explicit(&rq->length, memory_order_relaxed);
    rq->standing = (Standing){.max = {NULL, NULL}};
    atomic_store(&rq->length, 0);
    atomic_store(&rq->is_closed, true);
    mutex_unlock(&rq->lock);
    run_queue_call(rq);
    if (length == 0)
        return;
    RunQueue *to = lock_open(rq);
    move_to(to, &left, length);
    mutex_unlock(&to->lock);
    run_queue_call(to);
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

void process_set_priority(Process *p, Priority priority) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    uint32_t bits = (uint32_t)priority << STATE_PRIORITY_SHIFT;
    while (!atomic_compare_exchange_weak(&p->state, &state, (state & ~STATE_PRIORITY_MASK) | bits)) {
    }
}

void process_raise_priority(Process *p, Priority priority) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    uint32_t bits = (uint32_t)(PRIORITY_LOW - priority) << STATE_RAISED_SHIFT;
    while ((state & STATE_RAISED_MASK) < bits &&
           !atomic_compare_exchange_weak(&p->state, &state, (state & ~STATE_RAISED_MASK) | bits)) {
    }
}

void process_drop_priority(Process *p) { atomic_fetch_and(&p->state, ~(uint32_t)STATE_RAISED_MASK); }

void process_enter(Process *p) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&p->state, &state, (state & ~STATE_QUEUED) | STATE_RUNNING)) {
    }
}

void process_leave(Process *p, bool wants_more) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed), left;
    do {
        left = state & ~STATE_RUNNING;
        if (!wants_more)
            left &= ~STATE_ACTIVE;
        if (process_state_has_work(left) || atomic_load_explicit(&p->signals_in, memory_order_relaxed))
            left |= STATE_QUEUED;
    } while (!atomic_compare_exchange_weak(&p->state, &state, left));
    if (left & STATE_QUEUED)
        run_queue_add(p);
    else if (atomic_load(&p->signals_in))
        process_wake(p);
}
