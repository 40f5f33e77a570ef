/*
 * Signals to a process, and who runs it: each signal is handled once, those of a sender in order, whether the process
 * sleeps, runs or is about to leave; nobody else touches what is the process's own; what comes when it has ended is
 * refused. A wake-up that is lost leaves its scheduler asleep with a signal there.
 */
#include "sys/event.c"
#include "sys/thread.c"

#include "process/run_queue.c"
#include "process/signal.c"
#include "process/signal_handle.c"

#include "left_out.h"
#include "model.h"

typedef struct {
    CallSignal call;
    unsigned number;
    bool is_handled; /* plain, as is all of it */
} Sent;

static Process receiver;
static Sent sent[4];
static unsigned handled[4], handled_count; /* the receiver's own */
static _Atomic unsigned left;

static void call_all(void) {
    for (unsigned i = 0; i < run_queue_count(); i++)
        run_queue_call(run_queue_at(i));
}

static void take(unsigned number) {
    model_check(!sent[number].is_handled);
    sent[number].is_handled = true;
    if (atomic_fetch_sub(&left, 1) == 1)
        call_all();
}

static void handle_sent(Process *p, CallSignal *call) {
    unsigned number = container_of(call, Sent, call)->number;
    handled[handled_count++] = number;
    take(number);
}

static void setup_signals(unsigned queues_wanted, unsigned count) {
    run_queues_init(queues_wanted);
    atomic_init(&receiver.state, PRIORITY_NORMAL << STATE_PRIORITY_SHIFT);
    for (unsigned i = 0; i < count; i++) {
        signal_init(&sent[i].call.signal, SIGNAL_CALL);
        sent[i].call.handle = handle_sent;
        sent[i].number = i;
    }
    atomic_init(&left, count);
}

static void setup_two(void) { setup_signals(1, 2); }
static void setup_three(void) { setup_signals(1, 3); }
static void setup_two_queues(void) { setup_signals(2, 2); }

static bool ends; /* the receiver, at its first signal */

static void setup_end(void) {
    setup_signals(1, 2);
    ends = true;
}

static void send(unsigned number) {
    if (!signal_push(&receiver, &sent[number].call.signal))
        take(number); /* by the sender, who answers for a process that is no more */
}

static void sender(void) {
    send(0);
    send(1);
}
static void other_sender(void) { send(2); }
static void sender_0(void) { send(0); }
static void sender_1(void) { send(1); }

static void run_receiver(Process *p) {
    process_enter(p);
    signal_handle(p);
    if (!ends) {
        process_leave(p, false);
        return;
    }
    signal_close(p);
    atomic_fetch_or(&p->state, STATE_FREE);
    atomic_fetch_and(&p->state, ~(uint32_t)STATE_RUNNING);
}

static int64_t sleep_until(unsigned index) { return atomic_load(&left) == 0 ? 0 : -1; }

static void serve(unsigned index) {
    RunQueue *rq = run_queue_at(index);
    run_queue_set_self(rq);
    while (atomic_load(&left) > 0) {
        Process *p = run_queue_take(rq);
        if (p)
            run_receiver(p);
        else
            run_queue_sleep(rq, sleep_until, event_wait);
    }
}

static void scheduler(void) { serve(0); }

/* A process of this scheduler's sends, and puts the receiver into this one's queue. */
static void scheduler_sends(unsigned index) {
    run_queue_set_self(run_queue_at(index));
    send(index);
    serve(index);
}
static void scheduler_0(void) { scheduler_sends(0); }
static void scheduler_1(void) { scheduler_sends(1); }

static void all_are_handled(void) {
    model_check(atomic_load(&left) == 0);
    model_check(ends || atomic_load(&receiver.signals_in) == NULL);
}
static void as_sent(void) {
    all_are_handled();
    unsigned first = 0, second = 0;
    for (unsigned i = 0; i < handled_count; i++) {
        first = handled[i] == 0 ? i : first;
        second = handled[i] == 1 ? i : second;
    }
    model_check(first < second);
}

MODEL({.name = "two signals of one sender",
       .setup = setup_two,
       .threads = {scheduler, sender},
       .end = as_sent,
       .bounds = {3, 3},
       .deep_bounds = MODEL_ALL},
      {.name = "two senders",
       .setup = setup_three,
       .threads = {scheduler, sender, other_sender},
       .end = as_sent,
       .bounds = {2, 1},
       .deep_bounds = {3, 2}},
      {.name = "it runs here and there",
       .setup = setup_two_queues,
       .threads = {scheduler_0, scheduler_1},
       .end = all_are_handled,
       .bounds = {3, 2},
       .deep_bounds = {5, 3}},
      {.name = "it ends",
       .setup = setup_end,
       .threads = {scheduler, sender_0, sender_1},
       .end = all_are_handled,
       .bounds = {2, 1},
       .deep_bounds = {3, 2}})
