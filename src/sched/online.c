#include "sched/online.h"

#include "alloc/alloc.h"
#include "process/dirty_queue.h"
#include "process/run_queue.h"
#include "sched/alone.h"
#include "sched/binding.h"

/* One for each time that somebody blocks. */
typedef struct Block {
    struct Block *next;
    Term pid;
} Block;

static Mutex lock = MUTEX_INITIALIZER(LOCK_ONLINE);
static unsigned schedulers, dirty_cpu, dirty_io; /* that there are */
static _Atomic unsigned schedulers_online, dirty_cpu_online;
static Block *blocks[BLOCK_KINDS];            /* the oldest first; under the lock */
static _Atomic unsigned blocked[BLOCK_KINDS]; /* how many there are */

unsigned online_schedulers(void) { return atomic_load(&schedulers_online); }
unsigned online_dirty_cpu(void) { return atomic_load(&dirty_cpu_online); }
bool online_is_blocked(BlockKind kind) { return atomic_load(&blocked[kind]) > 0; }
static bool is_blocked(void) { return online_is_blocked(BLOCK_FULL) || online_is_blocked(BLOCK_NORMAL); }
unsigned online_active(void) { return is_blocked() ? 1 : online_schedulers(); }
unsigned online_active_dirty(bool io) { return online_is_blocked(BLOCK_FULL) ? 0 : io ? dirty_io : online_dirty_cpu(); }

static void open_queues(unsigned number) {
    run_queues_set_open(number);
    binding_set_active(number);
}

static void set_dirty_cpu(unsigned wanted) {
    atomic_store(&dirty_cpu_online, wanted);
    dirty_queue_set_online(false, wanted);
}

void online_init(unsigned all, unsigned all_dirty_cpu, unsigned all_dirty_io, unsigned online) {
    schedulers = all;
    dirty_cpu = all_dirty_cpu;
    dirty_io = all_dirty_io;
    atomic_store(&schedulers_online, online);
    set_dirty_cpu(all_dirty_cpu < online ? all_dirty_cpu : online);
    open_queues(online);
}

/* In whole percent, as the stock runtime counts: also what all dirty threads are of all schedulers. */
static unsigned dirty_in_proportion(unsigned wanted) {
    unsigned of_all = dirty_cpu * 100 / schedulers, percent = wanted * of_all / online_schedulers();
    unsigned result = online_dirty_cpu() * percent / 100;
    return result == 0 ? 1 : result > dirty_cpu ? dirty_cpu : result;
}

bool online_set_schedulers(size_t wanted, unsigned *old) {
    if (wanted < 1 || wanted > schedulers)
        return false;
    mutex_lock(&lock);
    *old = online_schedulers();
    set_dirty_cpu(dirty_in_proportion((unsigned)wanted));
    atomic_store(&schedulers_online, (unsigned)wanted);
    open_queues(online_active());
    mutex_unlock(&lock);
    return true;
}

bool online_set_dirty_cpu(size_t wanted, unsigned *old) {
    if (wanted < 1 || wanted > dirty_cpu)
        return false;
    mutex_lock(&lock);
    bool ok = wanted <= online_schedulers();
    *old = online_dirty_cpu();
    if (ok)
        set_dirty_cpu((unsigned)wanted);
    mutex_unlock(&lock);
    return ok;
}

/* The oldest of `pid`, or the list's end for NON_VALUE. */
static Block **place_of(Term pid, BlockKind kind) {
    Block **place = &blocks[kind];
    while (*place && (*place)->pid != pid)
        place = &(*place)->next;
    return place;
}

static void renew(void) {
    open_queues(online_active());
    alone_set(online_is_blocked(BLOCK_FULL));
}

void online_block(Term pid, BlockKind kind) {
    Block *b = mem_alloc(ALLOC_SCHEDULER, sizeof *b);
    *b = (Block){.pid = pid};
    mutex_lock(&lock);
    *place_of(NON_VALUE, kind) = b;
    atomic_fetch_add(&blocked[kind], 1);
    renew();
    mutex_unlock(&lock);
}

/* The oldest block of `pid` goes. False: it has none. */
static bool unblock_locked(Term pid, BlockKind kind) {
    Block **place = place_of(pid, kind), *b = *place;
    if (!b)
        return false;
    *place = b->next;
    mem_free(ALLOC_SCHEDULER, b);
    atomic_fetch_sub(&blocked[kind], 1);
    renew();
    return true;
}

void online_unblock(Term pid, BlockKind kind) {
    mutex_lock(&lock);
    (void)unblock_locked(pid, kind);
    mutex_unlock(&lock);
}

static bool is_member(Term t, Term list) {
    while (is_list(list) && list_head(list) != t)
        list = list_tail(list);
    return is_list(list);
}

Term online_blockers(Area *area, BlockKind kind) {
    Term list = NIL;
    mutex_lock(&lock);
    for (const Block *b = schedulers > 1 ? blocks[kind] : NULL; b; b = b->next)
        if (!is_member(b->pid, list))
            list = area_cons(area, b->pid, list);
    mutex_unlock(&lock);
    return list;
}

bool online_process_exit(Process *p, int64_t *reductions) {
    if (likely(!is_blocked()))
        return true;
    mutex_lock(&lock);
    for (int kind = 0; kind < BLOCK_KINDS; kind++)
        while (unblock_locked(p->pid, (BlockKind)kind)) {
        }
    mutex_unlock(&lock);
    return true;
}
