/*
 * The end of a process in the middle of a dirty call: it ends once, on a scheduler, without waiting for the call, as
 * itself or as its successor, whichever of the handler and the owner comes first; signals go to the one or the other,
 * each handled once, and none before one that came earlier; the shell is released by its owner when the call is over,
 * and who looks at all shells before that has it for himself. `run_slice`, `the_call` and `ends` stand for those of
 * sched/ and process/exit.c.
 */
#include "gate.h"

#define lock ends_lock
#define first first_shell
#define last last_shell
#include "process/dirty_end.c"
#undef lock
#undef first
#undef last

#include "model.h"

typedef struct {
    CallSignal call;
    unsigned number;
    bool is_handled;
} Sent;

void (*exit_hand_over)(Process *p, Process *to);
__typeof__(trace_return_code) trace_return_code;

static Process process;
static Sent sent[2];
static unsigned handled_count, handled[2];    /* plain: of the process, or its successor */
static unsigned touched;                      /* plain: of the owner, then of who releases */
static bool has_ended, was_left; /* plain: of the scheduler; the shell's */
static bool asks, is_seen;       /* plain: of who looks at the shells */
static _Atomic bool has_told, is_released, is_over; /* the last: the call */
static _Atomic(Process *) found; /* the process table */
static _Atomic unsigned left;    /* signals, the end, the call */

static void one_less(void) {
    if (atomic_fetch_sub(&left, 1) > 1)
        return;
    for (unsigned i = 0; i < run_queue_count(); i++)
        run_queue_call(run_queue_at(i));
}

Process *process_create(size_t words, size_t virtual_words, uint16_t fullsweep_after) {
    return mem_calloc(ALLOC_PROCESS, sizeof(Process));
}
Term term_copy_literals(Term t, Area *area) { return t; }
Process *process_find(Term pid) { return atomic_load(&found); }
void process_table_replace(Process *p) { atomic_store(&found, p); }
void process_release(Process *p) {
    model_check(p == &process && !atomic_load(&is_released));
    touched++;
    was_left = true;
    atomic_store(&is_released, true);
}
void process_free(Process *p) {}
void thread_progress_later(ProgressNode *node) { model_check(node == &process.progress); }

static void take(unsigned number) {
    model_check(!sent[number].is_handled);
    sent[number].is_handled = true;
    one_less();
}

/* The first tells it to end. */
static void handle_sent(Process *p, CallSignal *call) {
    unsigned number = container_of(call, Sent, call)->number;
    handled[handled_count++] = number;
    if (number == 0)
        atomic_fetch_or(&p->state, STATE_EXITING | STATE_ACTIVE);
    take(number);
}

static void send(unsigned number) {
    if (!signal_send(process.pid, &sent[number].call.signal))
        take(number); /* by the sender, who answers for a process that is no more */
}
static void tells_to_end(void) { send(0); }
static void tells_to_end_and_more(void) {
    send(0);
    send(1);
}
static void sends_more(void) { send(1); }

static void setup_for(unsigned schedulers, unsigned signals) {
    run_queues_init(schedulers);
    process.pid = pid_make(1);
    atomic_init(&found, &process);
    atomic_init(&process.state, STATE_ACTIVE | STATE_DIRTY_IO | (uint32_t)PRIORITY_NORMAL << STATE_PRIORITY_SHIFT);
    for (unsigned i = 0; i < signals; i++) {
        signal_init(&sent[i].call.signal, SIGNAL_CALL);
        sent[i].call.handle = handle_sent;
        sent[i].number = i;
    }
    atomic_init(&left, signals + 2);
}
static void setup_one(void) { setup_for(1, 1); }
static void setup_two(void) { setup_for(1, 2); }
static void setup_asking(void) {
    setup_one();
    asks = true;
}
/* What stands in the first queue waits for a computation: it is taken by who serves the second. */
static void setup_thief(void) {
    setup_for(2, 1);
    asks = true;
    atomic_store(&run_queue_at(0)->runs_computation, true);
}

/* As who frees literals, when all processes have let go of them: what a call may be using is looked at. */
static void look(Process *p) {
    model_check(p == &process && !atomic_load(&is_released));
    touched++;
    is_seen = true;
}
static void look_at_shells(void) {
    bool is_whole = (atomic_load(&process.state) & STATE_LEFT) == 0;
    dirty_end_each(look);
    model_check(is_whole || is_seen || atomic_load(&is_over));
}

static void ends(Process *p) {
    model_check(!has_ended && atomic_load(&found) == p);
    has_ended = true;
    atomic_fetch_or(&p->state, STATE_FREE);
    atomic_store(&found, NULL);
    signal_close(p);
    atomic_store(&has_told, true);
    if (asks)
        look_at_shells();
    one_less();
}

static void run_slice(Process *p) {
    model_check(atomic_load(&p->state) & STATE_QUEUED);
    if (process_is_in_dirty_hands(p)) {
        dirty_signals_handle(p);
        return;
    }
    process_enter(p);
    signal_handle(p);
    if (process_is_exiting(p))
        ends(p);
    else
        process_leave(p, false);
}

static int64_t sleep_until(unsigned index) { return atomic_load(&left) == 0 ? 0 : -1; }

static void serve(unsigned index) {
    RunQueue *rq = run_queue_at(index);
    run_queue_set_self(rq);
    while (atomic_load(&left) > 0) {
        Process *p = run_queue_take(rq);
        if (p)
            run_slice(p);
        else if (!run_queue_steal(rq, false) && run_queue_sleep(rq, sleep_until, event_wait))
            (void)run_queue_steal(rq, true);
    }
}
static void scheduler(void) { serve(0); }
static void other_scheduler(void) { serve(1); }

static void the_call(bool until_it_has_ended, bool pauses) {
    Process *p = &process;
    touched++;
    dirty_gate_open(p, GATE_CALL_TO_END);
    if (pauses) {
        DirtyPause pause = dirty_gate_pause(p);
        touched++;
        dirty_gate_go_on(&pause);
    }
    while (until_it_has_ended && !atomic_load(&has_told))
        sched_yield();
    atomic_store(&is_over, true);
    dirty_gate_shut(p);
    touched++;
    if (dirty_end_has_left(p))
        dirty_end_release(p);
    else
        process_give_back(p, true);
    one_less();
}
static void short_call(void) { the_call(false, false); }
static void long_call(void) { the_call(true, false); }
static void call_that_pauses(void) { the_call(false, true); }

static void all_is_told(void) {
    model_check(has_ended && atomic_load(&left) == 0);
    model_check(atomic_load(&process.signals_in) == SIGNALS_CLOSED && process.signals_begun == NULL);
    model_check(was_left == dirty_end_has_left(&process));
    model_check(first_shell == NULL);
}
static void as_sent(void) {
    all_is_told();
    model_check(handled_count < 2 || handled[0] == 0);
}
static void it_was_left(void) {
    all_is_told();
    model_check(was_left);
}

MODEL({.name = "the call goes on",
       .setup = setup_one,
       .threads = {scheduler, long_call, tells_to_end},
       .end = it_was_left,
       .bounds = {2, 1},
       .deep_bounds = {3, 1}},
      {.name = "it is over just then",
       .setup = setup_one,
       .threads = {scheduler, short_call, tells_to_end},
       .end = all_is_told,
       .bounds = {2, 1},
       .deep_bounds = {3, 1}},
      {.name = "more is sent",
       .setup = setup_two,
       .threads = {scheduler, short_call, tells_to_end_and_more},
       .end = as_sent,
       .bounds = {2, 0},
       .deep_bounds = {2, 1}},
      {.name = "by another, too",
       .setup = setup_two,
       .threads = {scheduler, short_call, tells_to_end, sends_more},
       .end = all_is_told,
       .bounds = {1, 0},
       .deep_bounds = {2, 0}},
      {.name = "somebody looks at the shell",
       .setup = setup_asking,
       .threads = {scheduler, short_call, tells_to_end},
       .end = all_is_told,
       .bounds = {2, 1},
       .deep_bounds = {3, 1}},
      {.name = "the call pauses",
       .setup = setup_asking,
       .threads = {scheduler, call_that_pauses, tells_to_end},
       .end = all_is_told,
       .bounds = {2, 0},
       .deep_bounds = {3, 1}},
      {.name = "the successor is another scheduler's",
       .setup = setup_thief,
       .threads = {scheduler, long_call, tells_to_end, other_scheduler},
       .end = it_was_left,
       .bounds = {1, 0},
       .deep_bounds = {2, 0}})
