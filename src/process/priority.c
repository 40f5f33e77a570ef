#include "process/dirty_queue.h"
#include "process/run_queue.h"
#include "process/signal.h"

/* `state`: before the bits were set. */
static void move_up(Process *p, uint32_t state) {
    if (state & STATE_QUEUED)
        run_queue_move_up(p);
}

static uint32_t given(Priority priority, unsigned shift) { return (uint32_t)(PRIORITY_LOW - priority) << shift; }
static Priority own_priority(uint32_t state) { return (state & STATE_PRIORITY_MASK) >> STATE_PRIORITY_SHIFT; }

/* What is lent may be over before the signal was handled, its own priority may not (process_set_priority). */
void process_raise_priority(Process *p, Priority priority) {
    uint32_t state = atomic_load(&p->state), bits = given(priority, STATE_RAISED_SHIFT);
    do {
        if (own_priority(state) <= priority || (state & STATE_RAISED_MASK) >= bits)
            return;
    } while (!atomic_compare_exchange_weak(&p->state, &state, (state & ~STATE_RAISED_MASK) | bits));
    move_up(p, state);
}

bool process_lend_priority(Process *p, Priority priority) {
    uint32_t state = atomic_load(&p->state), bits = given(priority, STATE_LENT_SHIFT);
    do {
        if ((state & STATE_LENT_MASK) == bits)
            return false;
    } while (!atomic_compare_exchange_weak(&p->state, &state, (state & ~STATE_LENT_MASK) | bits));
    if ((state & STATE_LENT_MASK) > bits)
        return false;
    move_up(p, state);
    if (state & STATE_DIRTY)
        dirty_queue_move_up(p, (state & STATE_DIRTY_IO) != 0);
    return true;
}

/* Who has asked it while it was more urgent itself has not raised it. */
void process_set_priority(Process *p, Priority priority) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    uint32_t bits = (uint32_t)priority << STATE_PRIORITY_SHIFT;
    while (!atomic_compare_exchange_weak(&p->state, &state, (state & ~STATE_PRIORITY_MASK) | bits)) {
    }
    if (priority > own_priority(state) && ((state & STATE_TASKS) || !process_has_handled_signals(p)))
        process_raise_priority(p, own_priority(state));
}
