/*
 * Looks at processes that rest: no wake-up is lost to them, nobody else touches the process meanwhile, and a bound says
 * the truth. What is done to them in place of a signal is done once, in the order of one sender's signals. Threads
 * serve run queues and send each other's processes references to what was born last; others look, and wake processes
 * for nothing. One ends what was born: when nobody sends it any more, and progress was made as often as process/rest.h
 * says, it asks only those whose bound or whose look does not say that they have nothing of it. Nobody may find a
 * reference later.
 */
#include "process/rest.h"

#include <sched.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/birth.h"
#include "heap/literal.h"
#include "process/bounds.h"
#include "process/life.h"
#include "process/process_table.h"
#include "process/run_queue.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "process/trace_point.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"
#include "unit_process.h"

#define SCHEDULERS 2
#define LOOKERS 2
#define BUSY 6   /* are sent references */
#define IDLE 100 /* are left alone */
#define ALL (BUSY + IDLE)
#define ROUNDS 40
#define BACKLOG 20 /* signals: lookers send no more meanwhile */

typedef struct {
    CallSignal call;
    Birth reference; /* 0: to let go of what it has */
} Sent;

static Process *all[ALL];
static _Atomic Birth shared;       /* what is sent; 0: nothing */
static _Atomic Birth gone[BUSY];   /* nobody may find it, or what was before, from then on */
static _Atomic unsigned let_go;
static _Atomic uint64_t sent, handled;
static _Atomic unsigned working; /* threads that are not done */
static _Atomic bool stop;
static uint64_t deeds[BUSY][LOOKERS]; /* the last one of each: plain, the process's owner's */
static _Atomic uint64_t at_rest;      /* of them all */

/* What a process has: plain, its owner's. */
static Birth *held_by(Process *p) { return &p->seq_last; }
static unsigned number_of(const Process *p) { return (unsigned)p->seq_clock; }

static void handle(Process *p, CallSignal *call) {
    Sent *s = container_of(call, Sent, call);
    unsigned i = number_of(p);
    assert_true(*held_by(p) == 0 || *held_by(p) > atomic_load(&gone[i]));
    assert_true(s->reference == 0 || s->reference > atomic_load(&gone[i]));
    *held_by(p) = s->reference;
    if (s->reference == 0)
        atomic_fetch_add(&let_go, 1);
    mem_free(ALLOC_SIGNAL, s);
    atomic_fetch_add(&handled, 1);
}

static void send(unsigned to, Birth reference) {
    Sent *s = mem_calloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = handle;
    s->reference = reference;
    atomic_fetch_add(&sent, 1);
    assert_true(signal_push(all[to], &s->call.signal));
}

/* What a looker does to a process, or tells it to do. */
typedef struct {
    CallSignal call;
    uint64_t number;
    unsigned looker;
} Deed;

static void deed(Process *p, const void *data) {
    const Deed *d = data;
    assert_int_equal(deeds[number_of(p)][d->looker] + 1, d->number);
    deeds[number_of(p)][d->looker]++;
}

static void handle_deed(Process *p, CallSignal *call) {
    Deed *d = container_of(call, Deed, call);
    deed(p, d);
    mem_free(ALLOC_SIGNAL, d);
    atomic_fetch_add(&handled, 1);
}

/* False: it was sent. */
static bool do_or_send(unsigned to, unsigned looker, uint64_t number) {
    Deed d = {.number = number, .looker = looker};
    if (rest_do(all[to], deed, &d))
        return true;
    Deed *s = mem_calloc(ALLOC_SIGNAL, sizeof *s);
    *s = d;
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = handle_deed;
    atomic_fetch_add(&sent, 1);
    assert_true(signal_push(all[to], &s->call.signal));
    return false;
}

static void run(Process *p) {
    process_enter(p);
    signal_handle(p);
    process_leave(p, false);
}

/* In a section: what was read at its beginning is sent before its end. */
static void send_some(unsigned *next) {
    Birth reference = atomic_load_explicit(&shared, memory_order_relaxed);
    if (reference != 0 && *next % 4 == 0)
        send(*next / 4 % BUSY, reference);
    ++*next;
}

static void scheduler(void *data) {
    RunQueue *rq = data;
    unsigned next = rq->index;
    thread_progress_register();
    run_queue_set_self(rq);
    while (!atomic_load(&stop) || atomic_load(&sent) != atomic_load(&handled)) {
        thread_progress_quiescent();
        Process *p = run_queue_take(rq);
        if (p != NULL)
            run(p);
        else if (!run_queue_steal(rq, true))
            sched_yield();
        if (!atomic_load(&stop))
            send_some(&next);
    }
    run_queue_set_self(NULL);
    thread_progress_unregister();
    atomic_fetch_sub(&working, 1);
}

static _Atomic uint64_t all_done[BUSY]; /* by lookers who are done */

static bool has(Process *p, const void *reference) { return *held_by(p) == *(const Birth *)reference; }

static void looker(void *data) {
    unsigned n = 0, self = *(const unsigned *)data;
    uint64_t done[BUSY] = {0};
    Birth nothing = BIRTH_NEVER;
    thread_progress_register();
    while (!atomic_load(&stop)) {
        thread_progress_quiescent();
        unsigned to = n / 4 % BUSY;
        if (n % 4 == 0)
            process_wake(all[to]);
        else if (n % 4 == 1 && atomic_load(&sent) < atomic_load(&handled) + BACKLOG)
            atomic_fetch_add(&at_rest, do_or_send(to, self, ++done[to]));
        else if (rest_look(all[to], has, &nothing))
            sched_yield();
        n++;
    }
    thread_progress_unregister();
    for (unsigned i = 0; i < BUSY; i++)
        atomic_fetch_add(&all_done[i], done[i]);
    atomic_fetch_sub(&working, 1);
}

typedef struct {
    ProgressNode node;
    _Atomic bool is_made;
} Progress;

static void is_made(ProgressNode *node) { atomic_store(&container_of(node, Progress, node)->is_made, true); }

static void wait_for_progress(void) {
    Progress p = {.node.run = is_made};
    thread_progress_later(&p.node);
    while (!atomic_load(&p.is_made)) {
        sched_yield();
        thread_progress_quiescent();
    }
}

typedef struct {
    unsigned passed_over, looked_at, asked;
} Counts;

static bool is_bound_older(unsigned i, Birth reference) {
    size_t slot = pid_data(all[i]->pid) % PROCESS_LIMIT_MIN;
    size_t looked = 0;
    return bounds_find(slot, slot + 1, reference, &looked) > slot;
}

static void settle(unsigned i, Birth reference, Counts *counts) {
    if (is_bound_older(i, reference)) {
        counts->passed_over++;
    } else if (rest_look(all[i], has, &reference)) {
        counts->looked_at++;
    } else {
        unsigned before = atomic_load(&let_go);
        counts->asked++;
        send(i, 0);
        while (atomic_load(&let_go) == before) {
            sched_yield();
            thread_progress_quiescent();
        }
    }
    if (i < BUSY)
        atomic_store(&gone[i], reference);
}

static void what_is_passed_over_has_nothing(void **state) {
    Thread threads[SCHEDULERS + LOOKERS];
    unsigned numbers[LOOKERS];
    Counts counts = {0};
    atomic_store(&working, SCHEDULERS + LOOKERS);
    for (unsigned i = 0; i < SCHEDULERS; i++)
        thread_start(&threads[i], "scheduler", 0, scheduler, run_queue_at(i));
    for (unsigned i = 0; i < LOOKERS; i++) {
        numbers[i] = i;
        thread_start(&threads[SCHEDULERS + i], "looker", 0, looker, &numbers[i]);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        Birth reference = birth_next();
        atomic_store(&shared, reference);
        wait_for_progress();
        atomic_store(&shared, 0);
        for (unsigned i = 0; i < REST_PROGRESSES; i++)
            wait_for_progress();
        for (unsigned i = 0; i < ALL; i++)
            settle(i, reference, &counts);
    }
    atomic_store(&stop, true);
    while (atomic_load(&working) > 0) {
        sched_yield();
        thread_progress_quiescent();
    }
    for (unsigned i = 0; i < SCHEDULERS + LOOKERS; i++)
        thread_join(&threads[i]);
    assert_int_equal(atomic_load(&sent), atomic_load(&handled));
    assert_true(counts.passed_over >= IDLE * (ROUNDS - 1)); /* they were looked at once */
    assert_int_equal(counts.passed_over + counts.looked_at + counts.asked, ALL * ROUNDS);
    assert_true(atomic_load(&at_rest) > 0);
    for (unsigned i = 0; i < BUSY; i++) {
        uint64_t done = 0;
        for (unsigned j = 0; j < LOOKERS; j++)
            done += deeds[i][j];
        assert_int_equal(done, atomic_load(&all_done[i]));
    }
}

static Process *make(unsigned number) {
    Process *p = unit_process(0);
    p->seq_clock = number;
    return p;
}

static bool says_yes(Process *p, const void *data) { return true; }
static bool says_no(Process *p, const void *data) { return false; }

static void a_bound_is_left_by_looks_only(void **state) {
    Process *p = all[0];
    Birth before = birth_newest();
    assert_false(is_bound_older(0, BIRTH_NEVER));
    assert_false(rest_look(p, says_yes, NULL)); /* has to be asked, and has a bound all the same */
    assert_true(is_bound_older(0, before + 1));
    assert_false(is_bound_older(0, before));
    process_wake(p);
    assert_false(is_bound_older(0, BIRTH_NEVER));
    assert_false(rest_look(p, says_no, NULL)); /* stands in a queue */
    assert_ptr_equal(run_queue_take(run_queue_at(0)), p);
    process_enter(p);
    assert_false(rest_look(p, says_no, NULL)); /* runs */
    process_leave(p, false);
    assert_false(is_bound_older(0, BIRTH_NEVER));
    assert_true(rest_look(p, says_no, NULL));
    assert_true(is_bound_older(0, before + 1));
}

/* The signal comes during the look: it does not count as resting, and is not lost. */
static bool is_sent_meanwhile(Process *p, const void *data) {
    send(number_of(p), 0);
    assert_null(run_queue_take(run_queue_at(0)));
    return false;
}

static void a_signal_that_comes_meanwhile_wakes(void **state) {
    assert_false(rest_look(all[0], is_sent_meanwhile, NULL));
    assert_false(is_bound_older(0, BIRTH_NEVER));
    assert_ptr_equal(run_queue_take(run_queue_at(0)), all[0]);
    run(all[0]);
    assert_int_equal(atomic_load(&handled), atomic_load(&sent));
}

static void counts_up(Process *p, const void *data) {
    p->seq_epoch++;
    assert_int_equal(alloc_owner, p->pid);
    send(number_of(p), 0);
}

static bool is_done(Process *p) {
    uint64_t before = p->seq_epoch;
    bool done = rest_do(p, counts_up, NULL);
    assert_int_equal(p->seq_epoch - before, done);
    return done;
}

static void run_until_it_rests(Process *p) {
    assert_ptr_equal(run_queue_take(run_queue_at(0)), p);
    run(p);
    assert_null(run_queue_take(run_queue_at(0)));
}

static void only_to_those_that_need_not_know_is_something_done(void **state) {
    Process *p = all[0];
    assert_false(rest_look(p, says_yes, NULL));
    alloc_owner = 5;
    assert_true(is_done(p));
    assert_int_equal(alloc_owner, 5);
    alloc_owner = 0;
    assert_false(is_bound_older(0, BIRTH_NEVER));
    assert_false(is_done(p)); /* a signal came meanwhile: it stands in a queue */
    run_until_it_rests(p);
    assert_false(is_bound_older(0, BIRTH_NEVER));
    p->trace = (struct ProcessTrace *)p;
    assert_false(is_done(p));
    p->trace = NULL;
    p->untold = &p->messages;
    assert_false(is_done(p));
    p->untold = NULL;
    atomic_fetch_add(&the_trace_epoch, 1);
    assert_false(is_done(p));
    atomic_fetch_sub(&the_trace_epoch, 1);
    assert_true(is_done(p));
    run_until_it_rests(p);
    atomic_fetch_or(&p->state, STATE_DIRTY_IO);
    assert_false(is_done(p));
    atomic_fetch_and(&p->state, ~(uint32_t)STATE_DIRTY_IO);
    assert_null(run_queue_take(run_queue_at(0)));
    assert_int_equal(atomic_load(&handled), atomic_load(&sent));
}

int main(void) {
    literal_span_init();
    atom_table_init(10000);
    node_table_init();
    run_queues_init(SCHEDULERS);
    process_table_init(PROCESS_LIMIT_MIN);
    thread_progress_register();
    run_queue_set_self(NULL);
    for (unsigned i = 0; i < ALL; i++)
        all[i] = make(i);
    const struct CMUnitTest tests[] = {unit(a_bound_is_left_by_looks_only), unit(a_signal_that_comes_meanwhile_wakes),
                                       unit(only_to_those_that_need_not_know_is_something_done),
                                       unit(what_is_passed_over_has_nothing)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (unsigned i = 0; i < ALL; i++) {
        process_table_remove(all[i]);
        process_free(all[i]);
    }
    thread_progress_unregister();
    return failed;
}
