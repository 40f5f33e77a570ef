#include "process/dirty_queue.h"

#include "alloc/alloc.h"
#include "sys/spin.h"

#define SPIN_NS 20000 /* what a process that makes one dirty call after another needs between them, and more */

/* A thread of a pool. */
typedef struct Sleeper {
    Condition woken;
    struct Sleeper *below;
    bool is_asleep; /* it lies among the sleepers; under the lock, as `below` */
} Sleeper;

typedef struct {
    Mutex lock;
    Sleeper *threads;      /* by number */
    Sleeper *sleepers;     /* those that are online and have nothing to do: who lay down last is woken first */
    Condition more_online; /* the others wait here */
    Standing line[2];      /* of those that are new, and of those that return */
    bool returning_next;
    bool has_watcher; /* a thread spins for the next one */
    unsigned online;
    _Atomic size_t
        coming; /* threads that will look here soon, and need not be woken: raised by any, lowered with the lock */
    _Atomic size_t length; /* all else is under the lock */
} DirtyQueue;
static DirtyQueue queues[2];

void dirty_queues_init(unsigned cpu_threads, unsigned io_threads) {
    for (int i = 0; i < 2; i++) {
        mutex_init(&queues[i].lock, LOCK_RUN_QUEUE);
        condition_init(&queues[i].more_online);
        queues[i].online = i ? io_threads : cpu_threads;
        queues[i].threads = mem_calloc(ALLOC_SCHEDULER, queues[i].online * sizeof(Sleeper));
        for (unsigned n = 0; n < queues[i].online; n++)
            condition_init(&queues[i].threads[n].woken);
    }
}

static unsigned number_of(const DirtyQueue *q) { return (unsigned)(q - queues) + 1; }
static bool is_empty(const DirtyQueue *q) { return atomic_load_explicit(&q->length, memory_order_relaxed) == 0; }

static bool stands_in_locked(const DirtyQueue *q, const Process *p) {
    return atomic_load_explicit(&p->dirty_place.queue, memory_order_relaxed) == number_of(q);
}

static void comes_locked(DirtyQueue *q, Process *p) {
    standing_append(&q->line[p->dirty_returns], &p->dirty_place, process_lent_priority(p));
    atomic_store_explicit(&p->dirty_place.queue, number_of(q), memory_order_relaxed);
}

/* `returns`: it will stand here again for the same call. */
static void went_locked(DirtyQueue *q, Process *p, bool returns) {
    atomic_store_explicit(&p->dirty_place.queue, 0, memory_order_relaxed);
    p->dirty_returns = returns;
    atomic_fetch_sub(&q->length, 1);
}

/* The more urgent of the two that are first; of those that are equally so from each line by turns. */
static Process *take_locked(DirtyQueue *q) {
    bool returning = q->returning_next;
    if (standing_level(&q->line[!returning]) < standing_level(&q->line[returning]))
        returning = !returning;
    q->returning_next = !returning;
    Process *p = container_of(standing_take(&q->line[returning]), Process, dirty_place);
    went_locked(q, p, false);
    return p;
}

static void sleep_locked(DirtyQueue *q, Sleeper *thread) {
    thread->below = q->sleepers;
    thread->is_asleep = true;
    q->sleepers = thread;
    while (thread->is_asleep)
        condition_wait(&thread->woken, &q->lock);
}

/* Whom to signal, with the lock or without it: it looks into the queue then. NULL: nobody sleeps, so all will look. */
static Sleeper *wake_locked(DirtyQueue *q) {
    Sleeper *thread = q->sleepers;
    if (thread != NULL) {
        q->sleepers = thread->below;
        thread->is_asleep = false;
    }
    return thread;
}

static void signal_thread(Sleeper *thread) {
    if (thread != NULL)
        condition_signal(&thread->woken);
}

void dirty_queue_add(Process *p, bool io) {
    DirtyQueue *q = &queues[io];
    Sleeper *thread = NULL;
    mutex_lock(&q->lock);
    comes_locked(q, p);
    if (atomic_fetch_add(&q->length, 1) >= atomic_load_explicit(&q->coming, memory_order_relaxed))
        thread = wake_locked(q);
    mutex_unlock(&q->lock);
    signal_thread(thread);
}

void dirty_queue_comes_back(bool io) { atomic_fetch_add_explicit(&queues[io].coming, 1, memory_order_relaxed); }

static void has_come_locked(DirtyQueue *q) { atomic_fetch_sub_explicit(&q->coming, 1, memory_order_relaxed); }

/* To sleep and be woken takes longer than many a dirty call. One thread of the pool does so at a time; it is on its way
 * here still. */
static void watch(DirtyQueue *q) {
    q->has_watcher = true;
    mutex_unlock(&q->lock);
    Spin spin = spin_begin(SPIN_NS);
    while (is_empty(q) && spin_goes_on(&spin))
        ;
    mutex_lock(&q->lock);
    q->has_watcher = false;
}

/* Not for this thread; but if it is the one that was told of it, another must be. */
static void wait_to_come_online(DirtyQueue *q) {
    if (!is_empty(q))
        signal_thread(wake_locked(q));
    condition_wait(&q->more_online, &q->lock);
}

Process *dirty_queue_take(bool io, unsigned number) {
    DirtyQueue *q = &queues[io];
    mutex_lock(&q->lock);
    if (number < q->online && is_empty(q) && !q->has_watcher)
        watch(q);
    has_come_locked(q);
    while (number >= q->online || is_empty(q)) {
        if (number >= q->online)
            wait_to_come_online(q);
        else
            sleep_locked(q, &q->threads[number]);
    }
    Process *p = take_locked(q);
    mutex_unlock(&q->lock);
    return p;
}

static DirtyQueue *queue_of(const Process *p) { return &queues[(atomic_load(&p->state) & STATE_DIRTY_IO) != 0]; }

bool dirty_queue_remove(Process *p) {
    DirtyQueue *q = queue_of(p);
    mutex_lock(&q->lock);
    bool stands = stands_in_locked(q, p);
    if (stands) {
        standing_remove(&q->line[p->dirty_returns], &p->dirty_place);
        went_locked(q, p, true);
    }
    mutex_unlock(&q->lock);
    return stands;
}

bool dirty_queue_has(const Process *p) {
    DirtyQueue *q = queue_of(p);
    mutex_lock(&q->lock);
    bool stands = stands_in_locked(q, p);
    mutex_unlock(&q->lock);
    return stands;
}

void dirty_queue_move_up(Process *p, bool io) {
    DirtyQueue *q = &queues[io];
    mutex_lock(&q->lock);
    if (stands_in_locked(q, p) && process_lent_priority(p) < p->dirty_place.priority) {
        standing_remove(&q->line[p->dirty_returns], &p->dirty_place);
        standing_append(&q->line[p->dirty_returns], &p->dirty_place, process_lent_priority(p));
    }
    mutex_unlock(&q->lock);
}

size_t dirty_queue_length(bool io) { return atomic_load(&queues[io].length); }

void dirty_queue_set_online(bool io, unsigned threads) {
    DirtyQueue *q = &queues[io];
    mutex_lock(&q->lock);
    q->online = threads;
    while (q->sleepers != NULL) /* who is off line now waits elsewhere */
        signal_thread(wake_locked(q));
    condition_broadcast(&q->more_online);
    mutex_unlock(&q->lock);
}
