#include "process/dirty_gate.h"

#include <sched.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/dirty_queue.h"
#include "process/run_queue.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "term/refc_binary.h"

/* p->dirty_gate: the kind, shifted; low bits say what is allowed. */
enum { OPEN = 1, LOOKED_AT = 2, WAITED_FOR = 4, PAUSED = 8, KIND_SHIFT = 4 };

#define SPINS 100

void dirty_gate_open(Process *p, DirtyGateKind kind) {
    atomic_store(&p->dirty_gate, (uint32_t)kind << KIND_SHIFT | OPEN);
    race_window("the gate was opened, signals came before");
    if (unlikely(atomic_load(&p->signals_in) != NULL || (kind == GATE_CALL_TO_END && process_is_exiting(p))))
        process_wake(p);
}

static bool is_looked_at(const Process *p) { return (atomic_load(&p->dirty_gate) & LOOKED_AT) != 0; }

/* Handlers mostly take no longer than it takes to fall asleep. */
static bool spin(const Process *p) {
    for (int i = 0; i < SPINS && is_looked_at(p); i++)
        cpu_pause();
    return !is_looked_at(p);
}

/* Nobody else comes in. Who goes out sees that he is waited for, or is seen to have gone. */
static void wait_for_handler(Process *p) {
    while (!spin(p)) {
        event_reset(&p->dirty_gate_event);
        atomic_fetch_or(&p->dirty_gate, WAITED_FOR);
        if (is_looked_at(p))
            event_wait(&p->dirty_gate_event, -1);
    }
}

void dirty_gate_shut(Process *p) {
    if (unlikely(atomic_fetch_and(&p->dirty_gate, ~(uint32_t)OPEN) & LOOKED_AT))
        wait_for_handler(p);
    if (unlikely(p->signals_begun != NULL)) {
        thread_progress_enter();
        signal_handle_begun(p, UINT32_MAX);
        thread_progress_leave();
    }
}

typedef struct {
    ProgressNode progress; /* must be first */
    RefcBinary *first;
} Destruction;

static void destroy(ProgressNode *node) {
    refc_binary_destroy_held(((Destruction *)node)->first);
    mem_free(ALLOC_PROCESS_MISC, node);
}

/* On a thread that runs nobody's call: this one may have the lock that a destructor waits for. */
static void destroy_elsewhere(RefcBinary *first) {
    if (likely(first == NULL))
        return;
    Destruction *d = mem_alloc(ALLOC_PROCESS_MISC, sizeof *d);
    *d = (Destruction){.progress.run = destroy, .first = first};
    thread_progress_later(&d->progress);
}

DirtyPause dirty_gate_pause(Process *p) {
    if (!process_is_in_dirty_call(p))
        return (DirtyPause){NULL};
    refc_binary_hold();
    atomic_fetch_or(&p->dirty_gate, PAUSED);
    dirty_gate_shut(p);
    return (DirtyPause){p};
}

void dirty_gate_go_on(const DirtyPause *pause) {
    if (pause->process == NULL)
        return;
    dirty_gate_open(pause->process, dirty_gate_kind(pause->process));
    destroy_elsewhere(refc_binary_let_go());
}

bool dirty_gate_look(Process *p) {
    uint32_t gate = atomic_load(&p->dirty_gate);
    while (gate & OPEN)
        if (atomic_compare_exchange_weak(&p->dirty_gate, &gate, gate | LOOKED_AT))
            return true;
    return false;
}

/* Whoever has it shut in the middle of the call, or took it apart a moment ago, does next to nothing more: so this
 * waits for no more than that these threads run. */
bool dirty_gate_look_at_shell(Process *p) {
    for (unsigned i = 1;; i++) {
        uint32_t gate = atomic_load(&p->dirty_gate);
        if (!(gate & (OPEN | PAUSED)))
            return false;
        if ((gate & (OPEN | LOOKED_AT)) == OPEN) {
            if (atomic_compare_exchange_weak(&p->dirty_gate, &gate, gate | LOOKED_AT))
                return true;
            continue;
        }
        if (i % SPINS == 0)
            sched_yield();
        cpu_pause();
    }
}

void dirty_gate_look_end(Process *p) {
    if (unlikely(atomic_fetch_and(&p->dirty_gate, ~(uint32_t)(LOOKED_AT | WAITED_FOR)) & WAITED_FOR))
        event_wake(&p->dirty_gate_event);
}

DirtyGateKind dirty_gate_kind(const Process *p) { return atomic_load(&p->dirty_gate) >> KIND_SHIFT; }
bool dirty_gate_is_open(const Process *p) { return (atomic_load(&p->dirty_gate) & OPEN) != 0; }

/* Once it stands in the dirty queue it may be anybody's; who has found it elsewhere before, did not find it there. */
void process_leave_to_dirty(Process *p) {
    dirty_gate_open(p, GATE_IN_QUEUE);
    uint32_t state = atomic_fetch_and(&p->state, ~(uint32_t)STATE_RUNNING);
    race_window("a process was left to the dirty threads, and stands in no queue");
    dirty_queue_add(p, (state & STATE_DIRTY_IO) != 0);
    race_window("a process stands in a dirty queue, signals came before");
    if (atomic_load(&p->signals_in) != NULL || process_is_wanted_elsewhere(p))
        process_wake(p);
}

void process_give_back(Process *p, bool wants_more) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed), left;
    do {
        left = state & ~(uint32_t)STATE_DIRTY;
        if (!wants_more)
            left &= ~(uint32_t)STATE_ACTIVE;
        if (process_state_has_work(left) || atomic_load(&p->signals_in) != NULL)
            left |= STATE_QUEUED;
    } while (!atomic_compare_exchange_weak(&p->state, &state, left));
    if (state & STATE_QUEUED)
        return; /* somebody is in charge */
    if (left & STATE_QUEUED)
        run_queue_add(p);
    else if (atomic_load(&p->signals_in) != NULL)
        process_wake(p);
}
