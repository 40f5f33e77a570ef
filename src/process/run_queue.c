#include "process/run_queue.h"

#include "alloc/alloc.h"
#include "process/signal.h"

#define STEAL_MAX 64
#define DIRTY_SPINS 400 /* about 20 us: what a process that makes one dirty call after another needs between them */

static RunQueue *queues;
static unsigned queue_count;
static __thread RunQueue *self;
static _Atomic unsigned sleeping_count;
static _Atomic bool thief_called;

typedef struct {
    Mutex lock;
    Condition not_empty;
    ProcessList list;
    bool has_watcher; /* under the lock: a thread that spins for the next one, and need not be woken */
    _Atomic size_t length;
} DirtyQueue;
static DirtyQueue dirty_queues[2];

void run_queues_init(unsigned count) {
    queues = mem_calloc(ALLOC_SCHEDULER, (count + 1) * sizeof *queues);
    queues = (RunQueue *)(((uintptr_t)queues + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1));
    queue_count = count;
    for (unsigned i = 0; i < count; i++) {
        mutex_init(&queues[i].lock, LOCK_RUN_QUEUE);
        event_init(&queues[i].event);
        queues[i].index = i;
    }
    for (int i = 0; i < 2; i++) {
        mutex_init(&dirty_queues[i].lock, LOCK_RUN_QUEUE);
        condition_init(&dirty_queues[i].not_empty);
    }
}

unsigned run_queue_count(void) { return queue_count; }
RunQueue *run_queue_at(unsigned index) { return &queues[index]; }
RunQueue *run_queue_self(void) { return self; }
void run_queue_set_self(RunQueue *rq) { self = rq; }

static void list_append(ProcessList *l, Process *p) {
    p->queue_next = NULL;
    if (l->first)
        l->last->queue_next = p;
    else
        l->first = p;
    l->last = p;
}

static Process *list_take(ProcessList *l) {
    Process *p = l->first;
    if (p)
        l->first = p->queue_next;
    return p;
}

static ProcessList *list_for(RunQueue *rq, Priority priority) {
    return priority == PRIORITY_MAX ? &rq->max : priority == PRIORITY_HIGH ? &rq->high : &rq->normal;
}

static void append_locked(RunQueue *rq, Process *p) {
    Priority priority = process_run_priority(p);
    p->queue_priority = priority;
    p->low_skips = priority == PRIORITY_LOW ? LOW_SKIPS : 0;
    list_append(list_for(rq, priority), p);
    rq->count[priority]++;
    atomic_store(&rq->length, atomic_load_explicit(&rq->length, memory_order_relaxed) + 1);
}

static Process *take_locked(RunQueue *rq) {
    Process *p = list_take(&rq->max);
    if (!p)
        p = list_take(&rq->high);
    while (!p && (p = list_take(&rq->normal)) && p->low_skips && rq->count[PRIORITY_NORMAL]) {
        p->low_skips--;
        list_append(&rq->normal, p);
        p = NULL;
    }
    if (p) {
        rq->count[p->queue_priority]--;
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

static void dirty_add(Process *p, bool io) {
    DirtyQueue *q = &dirty_queues[io];
    mutex_lock(&q->lock);
    list_append(&q->list, p);
    if (atomic_fetch_add(&q->length, 1) > 0 || !q->has_watcher)
        condition_signal(&q->not_empty);
    mutex_unlock(&q->lock);
}

/* To sleep and be woken takes longer than many a dirty call. One thread of the pool does so at a time. */
static void dirty_queue_watch(DirtyQueue *q) {
    q->has_watcher = true;
    mutex_unlock(&q->lock);
    for (int i = 0; i < DIRTY_SPINS && atomic_load_explicit(&q->length, memory_order_relaxed) == 0; i++)
        __builtin_ia32_pause();
    mutex_lock(&q->lock);
    q->has_watcher = false;
}

Process *dirty_queue_take(bool io) {
    DirtyQueue *q = &dirty_queues[io];
    mutex_lock(&q->lock);
    if (!q->list.first && !q->has_watcher)
        dirty_queue_watch(q);
    while (!q->list.first)
        condition_wait(&q->not_empty, &q->lock);
    Process *p = list_take(&q->list);
    atomic_fetch_sub(&q->length, 1);
    mutex_unlock(&q->lock);
    return p;
}

size_t dirty_queue_length(bool io) { return atomic_load(&dirty_queues[io].length); }

void run_queue_add(Process *p) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    if (unlikely(state & (STATE_DIRTY_CPU | STATE_DIRTY_IO))) {
        dirty_add(p, (state & STATE_DIRTY_IO) != 0);
        return;
    }
    RunQueue *rq = self ? self : &queues[atomic_load_explicit(&p->home_queue, memory_order_relaxed)];
    mutex_lock(&rq->lock);
    append_locked(rq, p);
    uint32_t length = atomic_load_explicit(&rq->length, memory_order_relaxed);
    mutex_unlock(&rq->lock);
    if (rq != self)
        run_queue_call(rq);
    if (length > 1)
        call_thief();
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
    mutex_lock(&thief->lock);
    for (unsigned i = 0; i < count; i++)
        append_locked(thief, taken[i]);
    mutex_unlock(&thief->lock);
    return count > 0;
}

static bool is_worth_stealing_from(RunQueue *victim) {
    return atomic_load(&victim->length) > (atomic_load(&victim->is_sleeping) ? 0 : 1);
}

bool run_queue_steal(RunQueue *rq) {
    for (unsigned i = 1; i < queue_count; i++) {
        RunQueue *victim = &queues[(rq->index + i) % queue_count];
        if (is_worth_stealing_from(victim) && steal_from(victim, rq))
            return true;
    }
    return false;
}

bool run_queue_others_are_full(const RunQueue *rq) {
    for (unsigned i = 0; i < queue_count; i++)
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
    atomic_store(&rq->is_sleeping, true);
    atomic_fetch_add(&sleeping_count, 1);
    if (atomic_load(&rq->length) == 0 && !run_queue_others_are_full(rq))
        event_wait(&rq->event, deadline(rq->index));
    atomic_fetch_sub(&sleeping_count, 1);
    atomic_store(&rq->is_sleeping, false);
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

static bool has_work(uint32_t state) {
    return (state & (STATE_EXITING | STATE_TASKS)) ||
           (state & (STATE_ACTIVE | STATE_SUSPENDED)) == STATE_ACTIVE;
}

void process_leave(Process *p, bool wants_more) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed), left;
    do {
        left = state & ~STATE_RUNNING;
        if (!wants_more)
            left &= ~STATE_ACTIVE;
        if (has_work(left) || atomic_load_explicit(&p->signals_in, memory_order_relaxed))
            left |= STATE_QUEUED;
    } while (!atomic_compare_exchange_weak(&p->state, &state, left));
    if (left & STATE_QUEUED)
        run_queue_add(p);
    else if (atomic_load(&p->signals_in))
        process_wake(p);
}
