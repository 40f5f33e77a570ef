/*
 * Looks at a process that rests, and its bound: no wake-up is lost by a look, nobody else touches the process
 * meanwhile, and who has made as much progress as process/rest.h says, and reads that the process refers to nothing so
 * new, is right: no reference is in its hands, or on its way to it. What is done to it in place of a signal is done
 * once, behind what the same sender has sent before, or another of whom he has heard since. Thread progress itself is
 * what m_thread_progress.c shows; here each thread has sections, and one waits until all others have ended those that
 * they are in.
 */
#include "alloc/who.h"
#include "sys/event.c"
#include "sys/thread.c"

#include "base/birth.c"
#include "process/rest.c"
#include "process/run_queue.c"
#include "process/signal.c"
#include "process/signal_handle.c"

#include "left_out.h"
#include "model.h"

static _Atomic Birth bound;
void process_table_set_bound(const Process *p, Birth to) { atomic_store_explicit(&bound, to, memory_order_relaxed); }

/* Sections of the threads, by model_self. */
#define OFFLINE (~0u)
static _Atomic unsigned epoch, seen[MODEL_THREADS];
static unsigned others; /* that are in sections: the first ones */

static void end_section(void) {
    unsigned now = atomic_load_explicit(&epoch, memory_order_acquire);
    atomic_store_explicit(&seen[model_self()], now, memory_order_release);
}
static void go_offline(void) { atomic_store_explicit(&seen[model_self()], OFFLINE, memory_order_release); }
static void come_online(void) {
    atomic_store(&seen[model_self()], atomic_load_explicit(&epoch, memory_order_acquire));
    atomic_thread_fence(memory_order_seq_cst);
}
static void make_progress(void) {
    unsigned wanted = atomic_fetch_add(&epoch, 1) + 1;
    atomic_thread_fence(memory_order_seq_cst);
    for (unsigned i = 1; i <= others; i++)
        while (atomic_load_explicit(&seen[i], memory_order_acquire) < wanted)
            sched_yield();
}

__thread uint64_t alloc_owner;

static Process process;
static CallSignal signals[5]; /* the second one brings a reference; others: process/rest.h, what is done */
enum { EARLIER = 2, IN_ITS_PLACE = 3 };
static _Atomic bool leaves;   /* it is to go: nobody sends it in a section that sees this */
static bool is_held;          /* by the process: plain, its owner's */
static bool is_passed_over;   /* the collector's */
static Birth reference;
static bool is_earlier_handled; /* plain, as is_held */
static unsigned done, to_be_done; /* the first one as well */
static _Atomic bool is_earlier_sent;

static void deed(Process *p, const void *data) {
    model_check(is_earlier_handled || data == NULL);
    done++;
}

static void handle_signal(Process *p, CallSignal *call) {
    if (call == &signals[1])
        is_held = true;
    if (call == &signals[EARLIER])
        is_earlier_handled = true;
    if (call >= &signals[IN_ITS_PLACE])
        deed(p, call == &signals[IN_ITS_PLACE] ? p : NULL);
}

/* It rests, and was looked at before the reference was born. */
static void setup(unsigned count) {
    others = count;
    run_queues_init(1);
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        signal_init(&signals[i].signal, SIGNAL_CALL);
        signals[i].handle = handle_signal;
    }
    atomic_init(&bound, birth_next());
    reference = birth_next();
    atomic_init(&process.state, PRIORITY_NORMAL << STATE_PRIORITY_SHIFT | STATE_HAS_BOUND);
}
static void setup_two(void) { setup(2); }
static void setup_three(void) { setup(3); }

static void sends(void) {
    end_section();
    model_check(signal_push(&process, &signals[0].signal));
    go_offline();
}

static void sends_reference(void) {
    if (!atomic_load_explicit(&leaves, memory_order_relaxed))
        model_check(signal_push(&process, &signals[1].signal));
    go_offline();
}

static void wakes(void) {
    end_section();
    process_wake(&process);
    go_offline();
}

/* It takes the thread offline. */
static bool has_it(Process *p, const void *data) {
    go_offline();
    bool has = is_held;
    come_online();
    return has;
}

static void looks(void) {
    end_section();
    bool is_free = rest_look(&process, has_it, NULL);
    go_offline();
}

/* One that is behind what was sent earlier, or one (NULL) that need not be. */
static void do_or_send(const void *is_behind) {
    if (!rest_do(&process, deed, is_behind))
        model_check(signal_push(&process, &signals[is_behind != NULL ? IN_ITS_PLACE : IN_ITS_PLACE + 1].signal));
}

static void does(void) {
    end_section();
    do_or_send(NULL);
    go_offline();
}

static void sends_and_does(void) {
    end_section();
    model_check(signal_push(&process, &signals[EARLIER].signal));
    do_or_send(&process);
    go_offline();
}

static void sends_and_tells(void) {
    end_section();
    model_check(signal_push(&process, &signals[EARLIER].signal));
    atomic_store_explicit(&is_earlier_sent, true, memory_order_release);
    go_offline();
}

static void hears_and_does(void) {
    end_section();
    if (atomic_load_explicit(&is_earlier_sent, memory_order_acquire))
        do_or_send(&process);
    else
        do_or_send(NULL);
    go_offline();
}

static void run_once(void) {
    Process *p = run_queue_take(run_queue_at(0));
    if (p == NULL)
        return;
    process_enter(p);
    signal_handle(p);
    process_leave(p, false);
}

static void runs(void) {
    run_queue_set_self(run_queue_at(0));
    end_section();
    run_once();
    go_offline();
}

static void collects(void) {
    atomic_store_explicit(&leaves, true, memory_order_relaxed);
    for (unsigned i = 0; i < REST_PROGRESSES; i++)
        make_progress();
    is_passed_over = atomic_load_explicit(&bound, memory_order_relaxed) < reference;
}

/* What was sent is there, or about to be handled. */
static void nothing_was_passed_over(void) {
    bool is_sent = false;
    for (const Signal *s = atomic_load(&process.signals_in); s != NULL; s = s->next)
        is_sent = is_sent || s == &signals[1].signal;
    model_check(!is_passed_over || (!is_held && !is_sent));
    uint32_t state = atomic_load(&process.state);
    model_check((state & STATE_QUEUED) || atomic_load(&process.signals_in) == NULL);
    model_check(run_queue_length(run_queue_at(0)) == ((state & STATE_QUEUED) ? 1 : 0));
    model_check((state & STATE_HAS_BOUND) || atomic_load(&bound) == BIRTH_NEVER);
    for (const Signal *s = atomic_load(&process.signals_in); s != NULL; s = s->next)
        done += s == &signals[IN_ITS_PLACE].signal || s == &signals[IN_ITS_PLACE + 1].signal;
    model_check(done == to_be_done);
}

static void setup_deed(void) {
    setup(2);
    to_be_done = 1;
}
static void setup_deed_of_three(void) {
    setup(3);
    to_be_done = 1;
}
static void setup_two_deeds(void) {
    setup(3);
    to_be_done = 2;
}

#define CASE(the_name, count, preemptions, ...)                                                                        \
    {.name = the_name,                                                                                                 \
     .setup = setup_##count,                                                                                           \
     .threads = {__VA_ARGS__},                                                                                         \
     .end = nothing_was_passed_over,                                                                                   \
     .bounds = {preemptions, 1},                                                                                       \
     .deep_bounds = {preemptions + 1, 2}}

MODEL(CASE("a reference, and another signal before it", two, 3, sends, sends_reference, collects),
      CASE("a reference and a look", two, 3, looks, sends_reference, collects),
      CASE("a reference and a wake-up", two, 3, wakes, sends_reference, collects),
      CASE("a reference, while it runs", three, 2, sends, runs, sends_reference, collects),
      CASE("a reference, another signal, and a look", three, 2, looks, sends, sends_reference, collects),
      CASE("two look", three, 2, looks, looks, sends_reference, collects),
      CASE("a reference and a deed", deed, 3, does, sends_reference, collects),
      CASE("a deed behind a signal, while it runs", deed, 3, sends_and_does, runs),
      CASE("a deed behind what was heard of, while it runs", deed_of_three, 2, hears_and_does, sends_and_tells, runs),
      CASE("two deeds, while it runs", two_deeds, 2, does, sends_and_does, runs),
      CASE("a deed and a look", deed_of_three, 2, does, looks, sends_reference, collects))
