/*
 * Messages, links, monitors and wake-ups without an engine: each process runs a C function instead of Erlang code, on
 * threads that take processes from run queues as schedulers do. A wake-up that is lost makes the program hang.
 */
#include "process/clock.h"
#include "process/signal.h"

#include <string.h>

#include "alloc/alloc.h"
#include "process/exit.h"
#include "process/monitor.h"
#include "process/process_table.h"
#include "process/receive.h"
#include "process/reference.h"
#include "process/registry.h"
#include "process/rest.h"
#include "process/run_queue.h"
#include "process/spawn.h"
#include "process/timer.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "heap/literal.h"
#include "process/life.h"
#include "process/signal_handle.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"

#define THREADS 4

/* What a process does when it runs: true when it has ended. */
typedef bool Body(Process *p);
static Body *bodies[PROCESS_LIMIT_MIN]; /* by the slot of the pid */
static _Atomic bool stop;
static _Atomic int ended, running;

static Body **body_of(Term pid) { return &bodies[pid_data(pid) % PROCESS_LIMIT_MIN]; }

static void run(Process *p) {
    process_enter(p);
    p->reductions = REDUCTIONS_PER_SLICE;
    signal_handle(p);
    uint32_t state = atomic_load(&p->state);
    if (!(state & STATE_EXITING) && (state & STATE_ACTIVE) && (*body_of(p->pid))(p))
        process_set_exiting(p, am_normal);
    if (!process_is_exiting(p)) {
        process_leave(p, false);
        return;
    }
    process_exit_begin(p);
    while (!process_exit_continue(p))
        p->reductions = REDUCTIONS_PER_SLICE;
    atomic_fetch_add(&ended, 1);
}

static void scheduler(void *data) {
    RunQueue *rq = data;
    bool called = false;
    thread_progress_register();
    run_queue_set_self(rq);
    while (!atomic_load(&stop)) {
        thread_progress_quiescent();
        timers_run(rq->index);
        Process *p = run_queue_take(rq);
        if (p) {
            run(p);
        } else if (run_queue_steal(rq, called)) {
            run_queue_call_next();
            called = false;
        } else {
            thread_progress_offline();
            called = run_queue_sleep(rq, timers_next, event_wait);
            thread_progress_online();
        }
    }
    run_queue_set_self(NULL);
    thread_progress_unregister();
    atomic_fetch_sub(&running, 1);
}

static Term spawn(Process *parent, Body *body, bool link) {
    SpawnOptions o;
    spawn_options_init(&o);
    o.link = link;
    /* The slots of reserved pids are in order, so the next one's is known: the body must be there before it runs. */
    static Mutex lock = MUTEX_INITIALIZER(LOCK_PERMISSIONS);
    static uint64_t next;
    mutex_lock(&lock);
    *body_of(pid_make(next)) = body;
    Term pid = process_spawn(parent, am_erlang, am_apply, NIL, &o, NULL);
    assert_int_equal(pid_data(pid), next);
    next++;
    mutex_unlock(&lock);
    return pid;
}

/* Runs until `count` processes have ended. */
static void run_all(int count) {
    Thread threads[THREADS];
    atomic_store(&stop, false);
    atomic_store(&running, THREADS);
    for (unsigned i = 0; i < THREADS; i++)
        thread_start(&threads[i], "scheduler", 0, scheduler, run_queue_at(i));
    int64_t deadline = clock_monotonic() + 60 * NANOSECONDS_PER_SECOND;
    while (atomic_load(&ended) < count) {
        assert_true(clock_monotonic() < deadline);
        sched_yield();
    }
    atomic_store(&stop, true);
    /* A thread on its way to sleep forgets a call that came before; there it looks for work, not for `stop`. */
    while (atomic_load(&running) > 0) {
        for (unsigned i = 0; i < THREADS; i++)
            run_queue_call(run_queue_at(i));
        sched_yield();
    }
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    atomic_store(&ended, 0);
}

static void send(Process *from, Term to, Term message) { process_send(from, to, message); }

#define SENDERS 8
#define EACH 2000
static Term sink;

static bool send_numbers(Process *p) {
    for (SWord i = 0; i < EACH; i++)
        send(p, sink, area_tuple2(process_area(p), p->pid, small_make(i)));
    return true;
}

static bool take_numbers(Process *p) {
    static SWord next[PROCESS_LIMIT_MIN];
    static int total;
    for (Message *m; (m = receive_peek(p)) != NULL;) {
        Term *e = tuple_elements(m->term);
        assert_int_equal(small_value(e[1]), next[pid_data(e[0]) % PROCESS_LIMIT_MIN]++);
        receive_remove(p, m);
        total++;
    }
    process_collect_saved(p, COLLECT_AUTO);
    return total == SENDERS * EACH;
}

static void messages_of_one_sender_arrive_in_order(void **state) {
    thread_progress_enter();
    sink = spawn(NULL, take_numbers, false);
    for (int i = 0; i < SENDERS; i++)
        spawn(NULL, send_numbers, false);
    thread_progress_leave();
    run_all(SENDERS + 1);
}

/* Each thread looks at the process that it sends to, when that sleeps: all that it has sent has been taken by then. */
#define LOOKERS 3
#define LOOKS 500
static SWord taken_of[LOOKERS]; /* the sink's own */

typedef struct {
    unsigned of;
    SWord *taken;
} TakenLook;

static bool look_at_taken(Process *p, const void *data) {
    const TakenLook *look = data;
    *look->taken = taken_of[look->of];
    return false;
}

static void send_and_look(void *data) {
    unsigned self = (unsigned)(uintptr_t)data;
    thread_progress_register();
    for (SWord i = 0; i < LOOKS; i++, thread_progress_quiescent()) {
        Process *to = process_find(sink);
        assert_true(signal_push(to, &message_create(small_make(self * LOOKS + i), NON_VALUE, NIL)->signal));
        if (i + 1 == LOOKS)
            break; /* it ends with the last one */
        SWord taken;
        while (!rest_look(to, look_at_taken, &(TakenLook){self, &taken}))
            sched_yield();
        assert_int_equal(taken, i);
    }
    thread_progress_unregister();
}

static bool take_all(Process *p) {
    static int total;
    for (Message *m; (m = receive_peek(p)) != NULL; total++) {
        taken_of[small_value(m->term) / LOOKS] = small_value(m->term) % LOOKS;
        receive_remove(p, m);
    }
    return total == LOOKERS * LOOKS;
}

static void who_sleeps_can_be_looked_at(void **state) {
    thread_progress_enter();
    sink = spawn(NULL, take_all, false);
    thread_progress_leave();
    Thread threads[LOOKERS];
    for (uintptr_t i = 0; i < LOOKERS; i++)
        thread_start(&threads[i], "looker", 0, send_and_look, (void *)i);
    run_all(1);
    for (unsigned i = 0; i < LOOKERS; i++)
        thread_join(&threads[i]);
}

#define ROUNDS 20000

/* The partner's pid comes in the first message; then a number goes to and fro. */
static bool play(Process *p) {
    Message *m;
    while ((m = receive_peek(p)) != NULL) {
        Term partner = tuple_elements(m->term)[0];
        SWord n = small_value(tuple_elements(m->term)[1]);
        receive_remove(p, m);
        if (n > 0)
            send(p, partner, area_tuple2(process_area(p), p->pid, small_make(n - 1)));
        process_collect_saved(p, COLLECT_AUTO);
        if (n <= 1)
            return true;
    }
    return false;
}

static bool begin_play(Process *p) {
    Term partner = spawn(p, play, false);
    *body_of(p->pid) = play;
    send(p, partner, area_tuple2(process_area(p), p->pid, small_make(ROUNDS)));
    return false;
}

static void no_wake_up_is_lost(void **state) {
    thread_progress_enter();
    for (int i = 0; i < 4; i++)
        spawn(NULL, begin_play, false);
    thread_progress_leave();
    run_all(8);
}

static bool wait_for_exit(Process *p) { return false; }
static bool link_many(Process *p) {
    for (int i = 0; i < 50; i++)
        spawn(p, wait_for_exit, true);
    return true;
}

static bool end_badly(Process *p) {
    process_set_exiting(p, am_kill);
    return false;
}

static bool link_and_fall(Process *p) {
    link_many(p);
    spawn(p, end_badly, true);
    return false;
}

static void an_exit_goes_to_all_that_are_linked(void **state) {
    thread_progress_enter();
    for (int i = 0; i < 5; i++)
        spawn(NULL, link_and_fall, false);
    thread_progress_leave();
    run_all(5 * 52);
    assert_int_equal(process_table_count(), 0);
}

static Term watched;
static bool watch(Process *p) {
    if (p->monitors.count == 0 && p->message_count == 0) {
        MonitorOptions o = MONITOR_DEFAULTS;
        monitor_process(p, watched, NON_VALUE, &o);
        signal_handle(p);
    }
    Message *m = receive_peek(p);
    if (!m)
        return false;
    assert_true(tuple_elements(m->term)[0] == am_DOWN);
    receive_remove(p, m);
    return true;
}

static bool end_later(Process *p) {
    if (receive_timeout_is_over(p))
        return true;
    receive_timeout_set(p, small_make(20));
    return false;
}

static void every_watcher_hears_once(void **state) {
    thread_progress_enter();
    watched = spawn(NULL, end_later, false);
    for (int i = 0; i < 100; i++)
        spawn(NULL, watch, false);
    thread_progress_leave();
    run_all(101);
}

/* Pushers and a process that closes its list in the middle: each signal is handled once, in its pusher's order, or is
 * still the pusher's. */
#define PUSHERS 4
#define PUSHES 3000
typedef struct {
    CallSignal call;
    unsigned pusher, number;
} Numbered;
static Process *closing;
static unsigned next_number[PUSHERS], handled_while_open; /* of the process's own thread */
static _Atomic unsigned delivered, refused;
static bool is_closed;

static void take_numbered(Process *p, CallSignal *call) {
    Numbered *n = container_of(call, Numbered, call);
    assert_ptr_equal(p, closing);
    assert_int_equal(n->number, next_number[n->pusher]++);
    handled_while_open += !is_closed;
    mem_free(ALLOC_SIGNAL, n);
}

static void push_numbered(void *data) {
    thread_progress_register();
    for (unsigned i = 0; i < PUSHES; i++) {
        Numbered *n = mem_alloc(ALLOC_SIGNAL, sizeof *n);
        signal_init(&n->call.signal, SIGNAL_CALL);
        n->call.handle = take_numbered;
        n->pusher = (unsigned)(uintptr_t)data;
        n->number = i;
        if (signal_push(closing, &n->call.signal)) {
            atomic_fetch_add(&delivered, 1);
        } else {
            mem_free(ALLOC_SIGNAL, n);
            atomic_fetch_add(&refused, 1);
        }
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void a_closing_process_takes_all_or_refuses(void **state) {
    for (int round = 0; round < 5; round++) {
        Thread threads[PUSHERS];
        memset(next_number, 0, sizeof next_number);
        handled_while_open = 0;
        is_closed = false;
        atomic_store(&delivered, 0);
        atomic_store(&refused, 0);
        closing = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
        atomic_fetch_or(&closing->state, STATE_RUNNING); /* this thread runs it: nobody wakes it */
        for (uintptr_t i = 0; i < PUSHERS; i++)
            thread_start(&threads[i], "pusher", 0, push_numbered, (void *)i);
        while (handled_while_open < (unsigned)round * PUSHES / 2)
            signal_handle(closing);
        is_closed = true;
        signal_close(closing);
        for (unsigned i = 0; i < PUSHERS; i++)
            thread_join(&threads[i]);
        unsigned taken = 0;
        for (unsigned i = 0; i < PUSHERS; i++)
            taken += next_number[i];
        assert_int_equal(taken, atomic_load(&delivered));
        assert_int_equal(taken + atomic_load(&refused), PUSHERS * PUSHES);
        process_free(closing);
    }
}

static void names_are_given_once(void **state) {
    thread_progress_enter();
    Process *a = process_find(spawn(NULL, wait_for_exit, false)), *b = process_find(spawn(NULL, wait_for_exit, false));
    Term name = am_erlang;
    assert_true(registry_register(name, a));
    assert_false(registry_register(name, b));
    assert_false(registry_register(am_apply, a));
    assert_true(registry_whereis(name) == a->pid);
    assert_true(registry_unregister(name));
    assert_false(registry_unregister(name));
    assert_true(registry_register(name, b));
    assert_true(registry_forget(b) == name);
    assert_false(is_value(registry_whereis(name)));
    assert_false(registry_register(name, b));
    thread_progress_leave();
}

/* Signals that look: is all handled that came before them? */
typedef struct {
    CallSignal call;
    bool seen;
} Look;

static void look(Process *p, CallSignal *call) {
    container_of(call, Look, call)->seen = process_has_handled_signals(p);
}

static void all_is_handled_when_the_last_signal_is(void **state) {
    Process *p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    Look looks[3] = {{.seen = true}, {.seen = true}, {.seen = true}};
    atomic_fetch_or(&p->state, STATE_RUNNING); /* nobody queues it */
    assert_true(process_has_handled_signals(p));
    for (int i = 0; i < 3; i++) {
        signal_init(&looks[i].call.signal, SIGNAL_CALL);
        looks[i].call.handle = look;
        assert_true(signal_push(p, &looks[i].call.signal));
        assert_false(process_has_handled_signals(p));
    }
    signal_handle(p);
    for (int i = 0; i < 3; i++)
        assert_false(looks[i].seen);
    assert_true(process_has_handled_signals(p));
    process_free(p);
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    literal_span_init();
    reference_init();
    run_queues_init(THREADS);
    clock_init();
    timers_init(THREADS);
    process_table_init(PROCESS_LIMIT_MIN);
    registry_init();
    thread_progress_register();
    thread_progress_offline();
    const struct CMUnitTest tests[] = {
        unit(messages_of_one_sender_arrive_in_order),
        unit(who_sleeps_can_be_looked_at),
        unit(no_wake_up_is_lost),
        unit(an_exit_goes_to_all_that_are_linked),
        unit(every_watcher_hears_once),
        unit(a_closing_process_takes_all_or_refuses),
        unit(names_are_given_once),
        unit(all_is_handled_when_the_last_signal_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
