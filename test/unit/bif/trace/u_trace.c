/*
 * A session that ends while processes are told of an order is still there when ports are: whoever gives the order has a
 * count of it, though its handle is a weak one, and the thread was offline in the middle.
 */
#include "base/long_work.h"
#include "bif/trace/trace_session.h"
#include "bif_table.h"
#include "code/export.h"
#include "process/bif.h"
#include "process/request.h"
#include "process/tracer.h"
#include "term/atom.h"
#include "trace/session.h"
#include "unit.h"
#include "unit_process.h"
#include "unit_progress.h"

static TraceSession *session;
static unsigned times_given_away, times_asked;
static size_t counts_at_last;

static size_t counts(void) { return atomic_load(&trace_session_counted(session)->references); }

/* Of long work: the first walk of the processes; what comes before it is no open section. */
static void give_away(void) {
    if (long_work_here.open == 0)
        long_work_hurry(0);
    if (long_work_here.open == 0 || times_given_away++ > 0)
        return;
    assert_true(trace_session_end(session, am_destroyed, NON_VALUE, 0));
    trace_session_release(session); /* the strong handle's */
}

/* The tracer is asked before each kind is told. */
static Term ask(Term handle, TracerTopic topic, Term tag, Term tracee) {
    times_asked++;
    counts_at_last = counts();
    return am_trace;
}

/* As many as it takes for one to look who has seen them. */
static void add_orders(void) {
    for (uint64_t epoch = 1; epoch <= ORDERS_BETWEEN; epoch++) {
        TraceOrder order = {.on = true, .flags = 1, .tracer = tracer_of_module(am_error, small_make((SWord)epoch))};
        orders_add(&session->orders[TRACED_PROCESSES], &order, epoch);
        tracer_drop(order.tracer);
    }
}

static void both_kinds(void **state) {
    _Alignas(16) Term words[8];
    Area area = {.top = words, .limit = words + 8};
    Process *p = unit_process(STATE_RUNNING);
    Tracer tracer = tracer_of_module(am_viv_tracer, NIL);
    erlang_tracers.ask = ask;
    session = trace_session_create(am_ok, tracer, false, NULL);
    tracer_drop(tracer);
    trace_session_keep(session); /* the test's own */
    add_orders();
    const Term arguments[4] = {trace_session_weak(&area, session), am_all, am_true,
                               area_cons(&area, am_send_word, NIL)};
    long_work_here.give_away = give_away;
    long_work_begin();
    long_work_hurry(0);
    const BifEntry bif = {.flags = BIF_WAITS};
    const Export caller = {.bif = &bif};
    p->current_bif = &caller;
    assert_false(is_value(erts_internal_trace_4(p, arguments)));
    long_work_none();
    assert_true(times_given_away > 0);
    assert_int_equal(times_asked, 2);
    assert_int_equal(counts_at_last, 2);
    assert_int_equal(counts(), 1);
    trace_session_release(session);
    request_end(p);
    unit_process_end(p);
    unit_wait_for_progress();
}

int main(void) {
    unit_processes_init();
    const struct CMUnitTest tests[] = {unit(both_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
