#include "process/dirty_signals.h"

#include "process/dirty_end.h"
#include "process/dirty_gate.h"
#include "process/dirty_queue.h"
#include "process/run_queue.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "process/trace_point.h"
#include "term/refc_binary.h"

typedef enum { NOTHING_LEFT, SOME_LEFT, IS_SHUT, HAS_LEFT } Piece;

static Piece handle_looking(Process *p) {
    trace_catch_up(p);
    if (signal_begin(p))
        signal_handle_begun(p, DIRTY_SIGNALS_AT_ONCE);
    if (unlikely(process_is_exiting(p)) && dirty_gate_kind(p) == GATE_CALL_TO_END) {
        dirty_end_take_apart(p);
        return HAS_LEFT;
    }
    return p->signals_begun != NULL && !process_is_exiting(p) ? SOME_LEFT : NOTHING_LEFT;
}

/* The call may have a lock that a destructor waits for, and wait for the gate. */
static Piece handle_piece(Process *p) {
    if (!dirty_gate_look(p))
        return IS_SHUT;
    refc_binary_hold();
    Piece piece = handle_looking(p);
    dirty_gate_look_end(p);
    refc_binary_destroy_held(refc_binary_let_go());
    return piece;
}

static Piece handle_slice(Process *p) {
    Piece piece = SOME_LEFT;
    for (int i = 0; i < DIRTY_SIGNALS_PER_SLICE / DIRTY_SIGNALS_AT_ONCE && piece == SOME_LEFT; i++)
        piece = handle_piece(p);
    return piece;
}

/* It stands in a run queue now, and in the hands of the dirty threads no more. */
static bool take_out(Process *p) {
    if (!process_is_wanted_elsewhere(p) || !dirty_queue_remove(p))
        return false;
    dirty_gate_shut(p);
    atomic_fetch_and(&p->state, ~(uint32_t)STATE_DIRTY);
    run_queue_add(p);
    return true;
}

/* True: by compare and swap, so that who gives it back sees that nobody is in charge any more, or that somebody is. */
static bool let_go(Process *p) {
    uint32_t state = atomic_load(&p->state);
    while (state & STATE_DIRTY)
        if (atomic_compare_exchange_weak(&p->state, &state, state & ~STATE_QUEUED))
            return true;
    return false;
}

/* What came after the last look. */
static bool is_needed_again(const Process *p) {
    if (!dirty_gate_is_open(p))
        return false;
    bool may_handle = atomic_load(&p->signals_in) != NULL && !process_is_exiting(p);
    return may_handle || (process_is_wanted_elsewhere(p) && dirty_queue_has(p));
}

void dirty_signals_handle(Process *p) {
    Piece piece = handle_slice(p);
    if (piece == HAS_LEFT || take_out(p))
        return;
    if (piece == SOME_LEFT || !let_go(p))
        run_queue_add(p);
    else if (is_needed_again(p))
        process_wake(p);
}
