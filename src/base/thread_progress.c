/*
 * Each thread gathers callbacks in `open`; at a quiescent point the batch is sealed with a new epoch and waits, one
 * sealed batch at a time. A thread that goes offline leaves both to `orphans`, which any thread runs; so the last one
 * to go offline finds everybody offline and runs what is left.
 */
#include "base/thread_progress.h"

#include "base/race_window.h"

#include <pthread.h>

#define OFFLINE UINT64_MAX

typedef struct {
    _Atomic uint64_t seen; /* written by the slot's thread alone */
    _Atomic bool taken;
} __attribute__((aligned(CACHE_LINE))) Slot;

typedef struct {
    ProgressNode *first, **last;
    uint64_t epoch; /* to be reached before it may run */
} Batch;

typedef struct {
    Slot *slot;
    unsigned depth; /* of enter; 1 is counted for an online managed thread */
    bool is_guest;
    Batch open, sealed;
} Local;

static Slot slots[THREAD_PROGRESS_MAX_THREADS] = {[0 ... THREAD_PROGRESS_MAX_THREADS - 1] = {.seen = OFFLINE}};
static _Atomic unsigned slot_count; /* slots beyond were never taken */
static _Atomic uint64_t epoch = 1;
static __thread Local self;

static pthread_mutex_t orphans_lock = PTHREAD_MUTEX_INITIALIZER;
static Batch orphans;                /* under orphans_lock; epoch: of the newest node */
static _Atomic uint64_t orphans_due; /* 0: none; else orphans.epoch */

void (*thread_progress_call_host)(void);

static bool batch_is_empty(const Batch *b) { return b->first == NULL; }

static void batch_append(Batch *b, ProgressNode *node) {
    node->next = NULL;
    if (!b->first)
        b->last = &b->first;
    *b->last = node;
    b->last = &node->next;
}

static void batch_splice(Batch *to, Batch *from) {
    if (!from->first)
        return;
    if (!to->first)
        to->last = &to->first;
    *to->last = from->first;
    to->last = from->last;
    from->first = NULL;
}

static void batch_run(ProgressNode *node) {
    while (node) {
        race_window("a callback is due");
        ProgressNode *next = node->next;
        node->run(node);
        node = next;
    }
}

static uint64_t epoch_begin(void) { return atomic_fetch_add(&epoch, 1) + 1; }

static bool everybody_has_seen(uint64_t wanted) {
    unsigned count = atomic_load(&slot_count);
    for (unsigned i = 0; i < count; i++)
        if (atomic_load(&slots[i].seen) < wanted)
            return false;
    return true;
}

static void orphans_add(Batch *a, Batch *b) {
    if (batch_is_empty(a) && (!b || batch_is_empty(b)))
        return;
    pthread_mutex_lock(&orphans_lock);
    batch_splice(&orphans, a);
    if (b)
        batch_splice(&orphans, b);
    orphans.epoch = epoch_begin();
    atomic_store(&orphans_due, orphans.epoch);
    pthread_mutex_unlock(&orphans_lock);
}

/* Callbacks may look at shared structures, so a thread that is offline comes online for them. */
static void batch_run_online(ProgressNode *first) {
    if (first == NULL || self.depth != 0 || self.slot == NULL) {
        batch_run(first);
        return;
    }
    thread_progress_online();
    batch_run(first);
    self.depth = 0;
    atomic_store(&self.slot->seen, OFFLINE);
    orphans_add(&self.open, &self.sealed);
}

/* Callbacks may hand in more: they do not nest, the loop takes those too. */
static noinline void orphans_take(void) {
    static __thread bool running;
    if (running)
        return;
    running = true;
    for (;;) {
        uint64_t due = atomic_load(&orphans_due);
        if (due == 0 || !everybody_has_seen(due))
            break;
        pthread_mutex_lock(&orphans_lock);
        ProgressNode *first = NULL;
        if (orphans.first && orphans.epoch == due) {
            first = orphans.first;
            orphans.first = NULL;
            atomic_store(&orphans_due, 0);
        }
        pthread_mutex_unlock(&orphans_lock);
        batch_run_online(first);
    }
    running = false;
}

static void orphans_run(void) {
    uint64_t due = atomic_load(&orphans_due);
    if (due == 0 || !everybody_has_seen(due))
        return;
    if ((self.is_guest || self.slot == NULL) && thread_progress_call_host)
        thread_progress_call_host();
    else
        orphans_take();
}

void thread_progress_be_guest(void) { self.is_guest = true; }

void thread_progress_register(void) {
    require(!self.slot);
    for (unsigned i = 0; i < THREAD_PROGRESS_MAX_THREADS; i++) {
        bool taken = false;
        if (!atomic_compare_exchange_strong(&slots[i].taken, &taken, true))
            continue;
        self.slot = &slots[i];
        unsigned count = atomic_load(&slot_count);
        while (count <= i && !atomic_compare_exchange_weak(&slot_count, &count, i + 1)) {
        }
        thread_progress_online();
        return;
    }
    panic("more than %d threads", THREAD_PROGRESS_MAX_THREADS);
}

void thread_progress_unregister(void) {
    if (self.depth)
        thread_progress_offline();
    atomic_store(&self.slot->taken, false);
    self.slot = NULL;
}

bool thread_progress_is_registered(void) { return self.slot != NULL; }
bool thread_progress_may_read(void) { return self.depth != 0; }
bool thread_progress_may_go_offline(void) { return self.depth == 1; }

static noinline void quiescent_slow(uint64_t now) {
    if (!batch_is_empty(&self.open) && batch_is_empty(&self.sealed)) {
        self.sealed = self.open;
        self.open.first = NULL;
        now = self.sealed.epoch = epoch_begin();
    }
    atomic_store_explicit(&self.slot->seen, now, memory_order_release);
    race_window("a thread is quiescent, its batch not looked at");
    if (!batch_is_empty(&self.sealed) && everybody_has_seen(self.sealed.epoch)) {
        ProgressNode *first = self.sealed.first;
        self.sealed.first = NULL;
        batch_run(first);
    }
    if (atomic_load_explicit(&orphans_due, memory_order_relaxed))
        orphans_run();
}

void thread_progress_quiescent(void) {
    uint64_t now = atomic_load_explicit(&epoch, memory_order_acquire);
    if (now == atomic_load_explicit(&self.slot->seen, memory_order_relaxed) && batch_is_empty(&self.open) &&
        batch_is_empty(&self.sealed) && !atomic_load_explicit(&orphans_due, memory_order_relaxed))
        return;
    quiescent_slow(now);
}

void thread_progress_online(void) {
    require(self.depth == 0);
    self.depth = 1;
    atomic_exchange(&self.slot->seen, atomic_load(&epoch));
}

void thread_progress_offline(void) {
    require(self.depth == 1);
    self.depth = 0;
    atomic_store(&self.slot->seen, OFFLINE);
    orphans_add(&self.open, &self.sealed);
    orphans_run();
}

void thread_progress_enter(void) {
    if (self.depth)
        self.depth++;
    else
        thread_progress_online();
}

void thread_progress_leave(void) {
    require(self.depth > 0);
    if (self.depth > 1)
        self.depth--;
    else
        thread_progress_offline();
}

void thread_progress_later(ProgressNode *node) {
    if (self.depth) {
        batch_append(&self.open, node);
        return;
    }
    Batch single = {0};
    batch_append(&single, node);
    orphans_add(&single, NULL);
    orphans_run();
}

bool thread_progress_is_pending(void) {
    return !batch_is_empty(&self.open) || !batch_is_empty(&self.sealed) || atomic_load(&orphans_due) != 0;
}
