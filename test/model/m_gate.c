/*
 * The gate of a process in the hands of the dirty threads: its signals are handled, each once, by a scheduler while
 * the gate is open and by the dirty thread otherwise, never by two at a time, and none is left lying; the process comes
 * back to the schedulers when the call is over. `run_slice` and `dirty_thread` stand for those of sched/.
 */
#include "gate.h"

typedef struct {
    CallSignal call;
    bool is_handled;
} Sent;

static Process process;
static Sent sent[2];
static unsigned handled_count; /* of the process: plain */
static bool is_over;           /* the same: the call was made */
static _Atomic unsigned left;  /* signals, and the return of the process */

static void one_less(void) {
    if (atomic_fetch_sub(&left, 1) == 1)
        run_queue_call(run_queue_at(0));
}

static void handle_sent(Process *p, CallSignal *call) {
    Sent *s = container_of(call, Sent, call);
    model_check(!s->is_handled);
    s->is_handled = true;
    handled_count++;
    one_less();
}

static void setup_for(unsigned signals) {
    run_queues_init(1);
    dirty_queues_init(1, 1);
    atomic_init(&process.state,
                STATE_RUNNING | STATE_ACTIVE | STATE_DIRTY_IO | PRIORITY_NORMAL << STATE_PRIORITY_SHIFT);
    for (unsigned i = 0; i < signals; i++) {
        signal_init(&sent[i].call.signal, SIGNAL_CALL);
        sent[i].call.handle = handle_sent;
    }
    atomic_init(&left, signals + 1);
}
static void setup_one(void) { setup_for(1); }
static void setup_two(void) { setup_for(2); }

static void send(unsigned number) { model_check(signal_push(&process, &sent[number].call.signal)); }
static void sends_one(void) { send(0); }
static void sends_two(void) {
    send(0);
    send(1);
}

static int64_t sleep_until(unsigned index) { return atomic_load(&left) == 0 ? 0 : -1; }

static void run_slice(Process *p) {
    model_check(atomic_load(&p->state) & STATE_QUEUED);
    if (process_is_in_dirty_hands(p)) {
        dirty_signals_handle(p);
        return;
    }
    process_enter(p);
    signal_handle(p);
    if (is_over && (atomic_load(&p->state) & STATE_ACTIVE)) {
        is_over = false;
        one_less();
    }
    process_leave(p, false);
}

static void scheduler(void) {
    RunQueue *rq = run_queue_at(0);
    run_queue_set_self(rq);
    process_leave_to_dirty(&process);
    while (atomic_load(&left) > 0) {
        Process *p = run_queue_take(rq);
        if (p)
            run_slice(p);
        else
            run_queue_sleep(rq, sleep_until, event_wait);
    }
}

static void dirty_thread(void) {
    dirty_queue_comes_back(true);
    Process *p = dirty_queue_take(true, 0);
    dirty_gate_shut(p);
    signal_handle(p);
    dirty_gate_open(p, GATE_CALL);
    while (atomic_load(&left) > 1) /* the call goes on until all signals are handled */
        sched_yield();
    dirty_gate_shut(p);
    is_over = true;
    process_give_back(p, true);
}

static void nothing_is_left(void) {
    model_check(atomic_load(&left) == 0);
    model_check(atomic_load(&process.signals_in) == NULL && process.signals_begun == NULL);
}

MODEL({.name = "a signal",
       .setup = setup_one,
       .threads = {scheduler, dirty_thread, sends_one},
       .end = nothing_is_left,
       .bounds = {2, 1},
       .deep_bounds = {3, 1}},
      {.name = "two signals",
       .setup = setup_two,
       .threads = {scheduler, dirty_thread, sends_two},
       .end = nothing_is_left,
       .bounds = {2, 0},
       .deep_bounds = {2, 1}})
