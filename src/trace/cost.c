#include "trace/cost.h"

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/long_work.h"
#include "base/mix.h"
#include "process/run_queue.h"
#include "sys/thread.h"

/* Figures by pid: open addressing, at most half full. */
typedef struct {
    _Atomic Term pid; /* NON_VALUE: free */
    _Atomic int64_t calls, amount;
} CostEntry;
typedef struct {
    ProgressNode progress;
    size_t mask, used;
    CostEntry entry[];
} CostTable;
typedef _Atomic(CostTable *) TablePlace; /* a cell */

#define FIRST_ENTRIES 4
static Mutex other_threads = MUTEX_INITIALIZER(LOCK_CALL_COSTS);

/* Handles: an index into chunks of pointers, below a number that counts how often the index was used. */
#define INDEX_BITS 32 /* as many as memory has room for */
#define USES_MAX ((Word)1 << (60 - INDEX_BITS))
#define CHUNK_SLOTS 16384
_Static_assert(INDEX_BITS == 8 * sizeof(uint32_t), "a handle's lower half is the index");
typedef struct {
    _Atomic(CallCost *) cost[CHUNK_SLOTS];
    uint32_t next_free[CHUNK_SLOTS]; /* of a free one: the next free index plus one */
    uint32_t uses[CHUNK_SLOTS];
} CostChunk;
static _Atomic(CostChunk *) chunks[((Word)1 << INDEX_BITS) / CHUNK_SLOTS];
/* Under the code modification permission: */
static uint32_t first_free; /* index plus one */
static uint32_t indices_used;

static void make_chunk(uint32_t number) {
    ALLOC_FOR_ALL;
    atomic_store(&chunks[number], mem_calloc(ALLOC_TRACE, sizeof(CostChunk)));
}

static uint32_t take_index(void) {
    if (first_free != 0) {
        uint32_t index = first_free - 1;
        first_free = atomic_load(&chunks[index / CHUNK_SLOTS])->next_free[index % CHUNK_SLOTS];
        return index;
    }
    require(indices_used < UINT32_MAX); /* they would take 500 GB */
    uint32_t index = indices_used++;
    if (index % CHUNK_SLOTS == 0)
        make_chunk(index / CHUNK_SLOTS);
    return index;
}

static CostChunk *chunk_of(Word handle, unsigned *slot) {
    uint32_t index = (uint32_t)handle;
    *slot = index % CHUNK_SLOTS;
    return atomic_load_explicit(&chunks[index / CHUNK_SLOTS], memory_order_acquire);
}

CallCost *cost_create(void) {
    CallCost *c = mem_calloc(ALLOC_TRACE, sizeof *c);
    Word index = take_index();
    unsigned slot;
    CostChunk *chunk = chunk_of(index, &slot);
    c->handle = (Word)++chunk->uses[slot] << INDEX_BITS | index;
    atomic_init(&c->references, 1);
    atomic_store_explicit(&chunk->cost[slot], c, memory_order_release);
    return c;
}

static void place_clear(void *place) {
    mem_free(ALLOC_TRACE, atomic_load_explicit((TablePlace *)place, memory_order_relaxed));
}

static const CellKind places = {sizeof(TablePlace), place_clear};

static void free_table_later(ProgressNode *node) { mem_free(ALLOC_TRACE, container_of(node, CostTable, progress)); }

static void free_later(ProgressNode *node) {
    CallCost *c = container_of(node, CallCost, progress);
    queue_cells_free(atomic_load_explicit(&c->tables, memory_order_relaxed));
    mem_free(ALLOC_TRACE, c);
}

void cost_drop(CallCost *c) {
    if (c == NULL || atomic_fetch_sub_explicit(&c->references, 1, memory_order_acq_rel) > 1)
        return;
    unsigned slot;
    CostChunk *chunk = chunk_of(c->handle, &slot);
    atomic_store_explicit(&chunk->cost[slot], NULL, memory_order_release);
    if (chunk->uses[slot] + 1 < USES_MAX) { /* otherwise its next handle would be one that was used */
        chunk->next_free[slot] = first_free;
        first_free = (uint32_t)c->handle + 1;
    }
    c->progress.run = free_later;
    thread_progress_later(&c->progress);
}

CallCost *cost_find(Word handle) {
    unsigned slot;
    const CostChunk *chunk = chunk_of(handle, &slot);
    CallCost *c = chunk != NULL ? atomic_load_explicit(&chunk->cost[slot], memory_order_acquire) : NULL;
    return c != NULL && c->handle == handle ? c : NULL;
}

void cost_restart(CallCost *c) { queue_cells_put_aside(&c->tables); }

static CostTable *table_create(size_t entries) {
    CostTable *t = mem_calloc(ALLOC_TRACE, sizeof *t + entries * sizeof t->entry[0]);
    t->mask = entries - 1;
    for (size_t i = 0; i < entries; i++)
        atomic_init(&t->entry[i].pid, NON_VALUE);
    return t;
}

/* Where it is, or where it belongs. */
static CostEntry *entry_at(CostTable *t, Term pid) {
    size_t i = (size_t)((pid * MIX_GOLDEN) >> 32);
    for (;; i++) {
        CostEntry *e = &t->entry[i & t->mask];
        Term there = atomic_load_explicit(&e->pid, memory_order_relaxed);
        if (there == pid || there == NON_VALUE)
            return e;
    }
}

static bool is_full(const CostTable *t) { return 2 * t->used > t->mask; }

static void count_up(_Atomic int64_t *figure, int64_t by) {
    atomic_store_explicit(figure, atomic_load_explicit(figure, memory_order_relaxed) + by, memory_order_relaxed);
}

static void add(CostTable *t, Term pid, int64_t calls, int64_t amount) {
    CostEntry *e = entry_at(t, pid);
    count_up(&e->calls, calls);
    count_up(&e->amount, amount);
    if (atomic_load_explicit(&e->pid, memory_order_relaxed) == NON_VALUE) {
        t->used++;
        atomic_store_explicit(&e->pid, pid, memory_order_release);
    }
}

/* Adds all that is in `t` to a table that only the caller has; what t's writer adds meanwhile may be missed. */
static CostTable *merge(CostTable *to, const CostTable *t) {
    for (size_t i = 0; i <= t->mask; i++) {
        const CostEntry *e = &t->entry[i];
        Term pid = atomic_load_explicit(&e->pid, memory_order_acquire);
        if (pid == NON_VALUE)
            continue;
        if (is_full(to)) {
            CostTable *larger = merge(table_create(2 * (to->mask + 1)), to);
            mem_free(ALLOC_TRACE, to);
            to = larger;
        }
        add(to, pid, atomic_load_explicit(&e->calls, memory_order_relaxed),
            atomic_load_explicit(&e->amount, memory_order_relaxed));
    }
    return to;
}

/* Not long work: giving the scheduler away would give the table a second writer. */
static CostTable *with_room(TablePlace *place) {
    CostTable *t = atomic_load_explicit(place, memory_order_relaxed);
    if (likely(t != NULL && !is_full(t)))
        return t;
    CostTable *larger = t == NULL ? table_create(FIRST_ENTRIES) : merge(table_create(2 * (t->mask + 1)), t);
    atomic_store_explicit(place, larger, memory_order_release);
    if (t != NULL) {
        t->progress.run = free_table_later;
        thread_progress_later(&t->progress);
    }
    return larger;
}

void cost_add(CallCost *c, Term pid, int64_t calls, int64_t amount) {
    LONG_WORK_FORBID; /* the table of the queue has one writer */
    const QueueCells *cells = queue_cells_at(&c->tables, &places);
    const RunQueue *rq = run_queue_self();
    if (likely(rq != NULL)) {
        add(with_room(queue_cell(cells, rq->index)), pid, calls, amount);
        return;
    }
    mutex_lock(&other_threads);
    add(with_room(queue_cell_of_others(cells)), pid, calls, amount);
    mutex_unlock(&other_threads);
}

#define UNITS_OF_ENTRY 30 /* of long work */

CostSum *cost_sums(const CallCost *c, size_t *count) {
    const QueueCells *cells = atomic_load_explicit(&c->tables, memory_order_acquire);
    CostTable *all = table_create(FIRST_ENTRIES);
    for (unsigned i = 0; cells != NULL && i < cells->count; i++) {
        const CostTable *t = atomic_load_explicit((TablePlace *)queue_cell(cells, i), memory_order_acquire);
        if (t == NULL)
            continue;
        long_work_count_large(t->mask + 1, UNITS_OF_ENTRY);
        all = merge(all, t);
    }
    CostSum *sums = all->used > 0 ? mem_alloc(ALLOC_TEMP, all->used * sizeof *sums) : NULL;
    *count = 0;
    for (size_t i = 0; sums != NULL && i <= all->mask; i++) {
        const CostEntry *e = &all->entry[i];
        if (atomic_load_explicit(&e->pid, memory_order_relaxed) != NON_VALUE)
            sums[(*count)++] = (CostSum){e->pid, e->calls, e->amount};
    }
    mem_free(ALLOC_TRACE, all);
    return sums;
}
