/*
 * Each thread gathers callbacks in `open`; at a quiescent point the batch is sealed with a new epoch and waits, one
 * sealed batch at a time. A thread that goes offline leaves both to the orphans, which are the same once more, for all:
 * those that gather, and those that wait. Any thread runs these; so the last one to go offline finds everybody offline
 * and runs what is left.
 */
#include "base/thread_progress.h"

#include "base/race_window.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define OFFLINE UINT64_MAX

typedef struct {
    _Atomic uint64_t seen; /* written by the slot's thread alone */
    _Atomic bool taken;
} __attribute__((aligned(CACHE_LINE))) Slot;

typedef struct {
    ProgressNode *first, **last;
    uint64_t epoch;  /* of a sealed one: to be passed by all before it may run */
    unsigned passed; /* of a sealed one: so many slots, from the first, were found past it */
} Batch;

typedef struct {
    Slot *slot;
    unsigned depth; /* of enter; 1 is counted for an online managed thread */
    bool is_guest, looks_at_orphans, is_last;
    uint64_t idle_at; /* at this epoch a quiescent point has nothing to do; 0: it has */
    Batch open, sealed;
    Batch soon; /* waits for no epoch */
} Local;

/* Slots never go; a chunk holds twice as many as the one before. */
#define FIRST_CHUNK 64
#define CHUNKS 24
static Slot first_chunk[FIRST_CHUNK] = {[0 ... FIRST_CHUNK - 1] = {.seen = OFFLINE}};
static _Atomic(Slot *) chunks[CHUNKS] = {first_chunk};
static _Atomic unsigned slot_count; /* slots beyond were never taken */
static _Atomic uint64_t epoch = 1;
static __thread Local self;
static _Atomic bool is_ending; /* only the thread that is the last goes on */

static pthread_mutex_t orphans_lock = PTHREAD_MUTEX_INITIALIZER;
static Batch orphans_open, orphans_sealed; /* under orphans_lock */
/* The sealed one's epoch (0: it is empty) and `passed`: to look at without the lock. */
static _Atomic uint64_t orphans_due;
static _Atomic unsigned orphans_passed;

void (*thread_progress_call_host)(void);

static unsigned chunk_of(unsigned index) { return 31 - (unsigned)__builtin_clz(index / FIRST_CHUNK + 1); }
static unsigned chunk_start(unsigned chunk) { return FIRST_CHUNK * ((1u << chunk) - 1); }

/* That chunk is there. */
static Slot *slot_at(unsigned index) {
    unsigned chunk = chunk_of(index);
    return &atomic_load_explicit(&chunks[chunk], memory_order_acquire)[index - chunk_start(chunk)];
}

static void chunk_create(unsigned chunk) {
    size_t count = (size_t)FIRST_CHUNK << chunk;
    Slot *slots = aligned_alloc(CACHE_LINE, count * sizeof *slots), *none = NULL;
    if (slots == NULL)
        panic("no memory for %zu threads", count);
    for (size_t i = 0; i < count; i++) {
        atomic_init(&slots[i].seen, OFFLINE);
        atomic_init(&slots[i].taken, false);
    }
    if (!atomic_compare_exchange_strong(&chunks[chunk], &none, slots))
        free(slots);
}

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

static void epoch_begin(Batch *b) {
    b->epoch = atomic_fetch_add_explicit(&epoch, 1, memory_order_acq_rel) + 1;
    b->passed = 0;
    atomic_thread_fence(memory_order_seq_cst);
}

static bool has_passed(unsigned index, uint64_t wanted) {
    return atomic_load_explicit(&slot_at(index)->seen, memory_order_acquire) >= wanted;
}

/* Of a sealed one. Goes on with the thread that was the first not to have passed. */
static bool batch_is_due(Batch *b) {
    if (batch_is_empty(b))
        return false;
    unsigned count = atomic_load_explicit(&slot_count, memory_order_acquire);
    while (b->passed < count && has_passed(b->passed, b->epoch))
        b->passed++;
    return b->passed >= count;
}

static ProgressNode *batch_take_due(Batch *b) {
    if (!batch_is_due(b))
        return NULL;
    ProgressNode *first = b->first;
    b->first = NULL;
    return first;
}

/* Locked, after each change. What gathers waits from now on, if nothing else does. */
static void orphans_seal(void) {
    if (batch_is_empty(&orphans_sealed) && !batch_is_empty(&orphans_open)) {
        batch_splice(&orphans_sealed, &orphans_open);
        epoch_begin(&orphans_sealed);
    }
    atomic_store_explicit(&orphans_passed, orphans_sealed.passed, memory_order_relaxed);
    atomic_store_explicit(&orphans_due, batch_is_empty(&orphans_sealed) ? 0 : orphans_sealed.epoch,
                          memory_order_relaxed);
}

/* Locked. To those that wait, if they wait for so much: what waits there does not wait for more. */
static void orphans_add_sealed(Batch *b) {
    if (batch_is_empty(&orphans_sealed)) {
        orphans_sealed = *b;
        b->first = NULL;
    } else {
        batch_splice(b->epoch <= orphans_sealed.epoch ? &orphans_sealed : &orphans_open, b);
    }
}

/* Who calls it looks at the orphans after: they may be due already. */
static void orphans_add(Batch *open, Batch *sealed) {
    if (!batch_is_empty(open) || (sealed && !batch_is_empty(sealed))) {
        pthread_mutex_lock(&orphans_lock);
        if (sealed)
            orphans_add_sealed(sealed);
        batch_splice(&orphans_open, open);
        orphans_seal();
        pthread_mutex_unlock(&orphans_lock);
    }
    atomic_thread_fence(memory_order_seq_cst);
}

/* What is due, if anything; what has gathered since waits in its stead. */
static ProgressNode *orphans_take(void) {
    pthread_mutex_lock(&orphans_lock);
    ProgressNode *first = batch_take_due(&orphans_sealed);
    orphans_seal();
    pthread_mutex_unlock(&orphans_lock);
    atomic_thread_fence(memory_order_seq_cst);
    return first;
}

static bool orphans_are_due(void) {
    pthread_mutex_lock(&orphans_lock);
    bool are_due = batch_is_due(&orphans_sealed);
    orphans_seal();
    pthread_mutex_unlock(&orphans_lock);
    return are_due;
}

/* Without the lock: false when the first of those that they wait for has not passed. The two words need not belong
 * together: who changes them looks again. */
static bool orphans_may_be_due(void) {
    uint64_t due = atomic_load_explicit(&orphans_due, memory_order_relaxed);
    if (likely(due == 0))
        return false;
    unsigned first = atomic_load_explicit(&orphans_passed, memory_order_relaxed);
    return first >= atomic_load_explicit(&slot_count, memory_order_acquire) || has_passed(first, due);
}

static void go_offline(void) {
    self.depth = 0;
    batch_splice(&self.open, &self.soon);
    atomic_store_explicit(&self.slot->seen, OFFLINE, memory_order_release);
    orphans_add(&self.open, &self.sealed);
}

/* Callbacks may look at shared structures, so a thread that is offline comes online for them. */
static void batch_run_online(ProgressNode *first) {
    if (first == NULL || self.depth != 0 || self.slot == NULL) {
        batch_run(first);
        return;
    }
    thread_progress_online();
    batch_run(first);
    go_offline();
}

/* Callbacks may hand in more: they do not nest, the loop takes those too. */
static void orphans_run(void) {
    if (self.looks_at_orphans)
        return;
    self.looks_at_orphans = true;
    while (orphans_may_be_due())
        batch_run_online(orphans_take());
    self.looks_at_orphans = false;
}

/* A host that is awake looks when an epoch has begun; one that sleeps is woken. */
static void call_host(void) {
    if (!orphans_are_due())
        return;
    atomic_fetch_add_explicit(&epoch, 1, memory_order_acq_rel);
    thread_progress_call_host();
}

/* After a fence that follows what may have made them due. */
static void orphans_look(void) {
    if (!orphans_may_be_due())
        return;
    if ((self.is_guest || self.slot == NULL) && thread_progress_call_host)
        call_host();
    else
        orphans_run();
}

void thread_progress_be_guest(void) { self.is_guest = true; }

static bool slot_take(unsigned index) {
    bool taken = false;
    if (atomic_load_explicit(&chunks[chunk_of(index)], memory_order_acquire) == NULL)
        chunk_create(chunk_of(index));
    return atomic_compare_exchange_strong(&slot_at(index)->taken, &taken, true);
}

void thread_progress_register(void) {
    require(!self.slot);
    unsigned index = 0;
    while (!slot_take(index))
        index++;
    self.slot = slot_at(index);
    unsigned count = atomic_load(&slot_count);
    while (count <= index && !atomic_compare_exchange_weak(&slot_count, &count, index + 1)) {
    }
    thread_progress_online();
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

static bool own_are_empty(void) {
    return batch_is_empty(&self.open) && batch_is_empty(&self.sealed) && batch_is_empty(&self.soon);
}

static ProgressNode *take_soon(void) {
    ProgressNode *first = self.soon.first;
    self.soon.first = NULL;
    return first;
}

static noinline _Noreturn void stay(void) {
    atomic_store(&self.slot->seen, OFFLINE);
    for (;;)
        pause();
}

static inline void stay_if_ending(void) {
    if (unlikely(atomic_load_explicit(&is_ending, memory_order_relaxed)) && !self.is_last)
        stay();
}

static noinline void quiescent_slow(uint64_t now) {
    stay_if_ending();
    if (!batch_is_empty(&self.open) && batch_is_empty(&self.sealed)) {
        batch_splice(&self.sealed, &self.open);
        epoch_begin(&self.sealed);
        now = self.sealed.epoch;
    }
    atomic_store_explicit(&self.slot->seen, now, memory_order_release);
    race_window("a thread is quiescent, its batch not looked at");
    atomic_thread_fence(memory_order_seq_cst);
    batch_run(take_soon()); /* before others, which may hand in more */
    batch_run(batch_take_due(&self.sealed));
    orphans_look();
    self.idle_at = own_are_empty() ? now : 0;
}

/* Who is idle has passed the newest epoch: he is not the one that anybody waits for. */
void thread_progress_quiescent(void) {
    uint64_t now = atomic_load_explicit(&epoch, memory_order_acquire);
    if (unlikely(now != self.idle_at))
        quiescent_slow(now);
}

void thread_progress_online(void) {
    require(self.depth == 0);
    self.depth = 1;
    self.idle_at = 0;
    atomic_store_explicit(&self.slot->seen, atomic_load_explicit(&epoch, memory_order_acquire), memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    stay_if_ending();
}

void thread_progress_offline(void) {
    require(self.depth == 1);
    go_offline();
    orphans_look();
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

static bool others_are_offline(void) {
    unsigned count = atomic_load(&slot_count);
    for (unsigned i = 0; i < count; i++)
        if (slot_at(i) != self.slot && atomic_load(&slot_at(i)->seen) != OFFLINE)
            return false;
    return true;
}

/* The epoch brings those that are busy to look: who has seen it at a quiescent point has nothing to do there. */
bool thread_progress_end_others(unsigned milliseconds) {
    self.is_last = true;
    self.depth++;
    atomic_store(&is_ending, true);
    atomic_fetch_add(&epoch, 1);
    struct timespec millisecond = {.tv_nsec = 1000000};
    for (; milliseconds > 0 && !others_are_offline(); milliseconds--)
        nanosleep(&millisecond, NULL);
    return others_are_offline();
}

void thread_progress_later(ProgressNode *node) {
    if (unlikely(self.is_last))
        return;
    if (self.depth) {
        batch_append(&self.open, node);
        self.idle_at = 0;
        return;
    }
    Batch single = {0};
    batch_append(&single, node);
    orphans_add(&single, NULL);
    orphans_look();
}

void thread_progress_soon(ProgressNode *node) {
    if (self.depth == 0 || self.is_guest || self.is_last) {
        thread_progress_later(node);
        return;
    }
    batch_append(&self.soon, node);
    self.idle_at = 0;
}

bool thread_progress_is_due(void) { return orphans_may_be_due(); }
