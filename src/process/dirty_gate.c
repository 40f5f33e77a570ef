#include "process/dirty_gate.h"

#include <sched.h>

#include "base/race_window.h"
#include "process/dirty_end.h"

/* p->dirty_gate: the turn, shifted; low bits say what is allowed. The turn moves on with every opening. */
enum { OPEN = 1, LOOKED_AT = 2, MAY_END = 4, TURN_SHIFT = 3 };

static void open_gate(Process *p, uint64_t how) {
    uint64_t gate = atomic_load_explicit(&p->dirty_gate, memory_order_relaxed);
    atomic_store(&p->dirty_gate, ((gate >> TURN_SHIFT) + 1) << TURN_SHIFT | how);
}

void dirty_gate_open(Process *p) { open_gate(p, OPEN); }

void dirty_gate_open_to_end(Process *p) {
    open_gate(p, OPEN | MAY_END);
    race_window("the gate was opened, signals came before");
    if (unlikely(atomic_load(&p->signals_in) != NULL)) {
        thread_progress_enter();
        dirty_end_look(p);
        thread_progress_leave();
    }
}

bool dirty_gate_may_end(const Process *p) { return (atomic_load(&p->dirty_gate) & MAY_END) != 0; }

void dirty_gate_shut(Process *p) {
    atomic_fetch_and(&p->dirty_gate, ~(uint64_t)OPEN); /* nobody else comes in */
    while (atomic_load(&p->dirty_gate) & LOOKED_AT)
        sched_yield();
}

uint64_t dirty_gate_look(Process *p) {
    uint64_t gate = atomic_load(&p->dirty_gate);
    while (gate & OPEN) {
        if (gate & LOOKED_AT) {
            sched_yield();
            gate = atomic_load(&p->dirty_gate);
        } else if (atomic_compare_exchange_weak(&p->dirty_gate, &gate, gate | LOOKED_AT)) {
            return gate >> TURN_SHIFT;
        }
    }
    return 0;
}

void dirty_gate_look_end(Process *p) { atomic_fetch_and(&p->dirty_gate, ~(uint64_t)LOOKED_AT); }
