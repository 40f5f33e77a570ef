/* Monitors between nodes: what is told to the connection, what its signals do, and who watches for it. */
#include "process/monitor.h"

#include "process/reference.h"
#include "term/compare.h"
#include "unit.h"
#include "unit_far.h"
#include "unit_process.h"

static Process *p;
static Term other;

static int begin(void **state) {
    unit_far_begin();
    thread_progress_enter();
    p = unit_process(STATE_RUNNING);
    other = unit_far_pid(7);
    return 0;
}

static int end(void **state) {
    assert_null(p->messages);
    assert_int_equal(p->monitors.count, 0);
    unit_process_end(p);
    thread_progress_leave();
    unit_far_end();
    return 0;
}

static Term monitor(AliasMode alias) {
    MonitorOptions o = MONITOR_DEFAULTS;
    o.alias = alias;
    return monitor_process(p, other, NON_VALUE, &o);
}

static const FarOrder *told(FarKind kind, Term reference) {
    const FarOrder *o = unit_order(kind, p->pid);
    assert_int_equal(o->id, reference_key(reference));
    assert_int_equal(o->is_alias_reference, is_value(reference_alias_pid(reference)));
    return o;
}

static void told_of_pid(FarKind kind, Term reference) {
    const FarOrder *o = told(kind, reference);
    assert_true(term_equal(o->to, other));
    assert_int_equal(o->node, NON_VALUE);
}

static void down_comes(Term reference, Term object, Term reason) {
    uint64_t key = reference_key(reference);
    Message *m = monitor_down_from_far(key, reference_alias_pid(reference), object, reason);
    signal_send_or_drop(p->pid, &m->signal);
    signal_handle(p);
}

/* The next in the queue is {'DOWN', reference, process, object, reason}. */
static void has_received(Term reference, Term object, Term reason) {
    Message *m = p->messages;
    assert_non_null(m);
    const Term *e = tuple_elements(m->term);
    assert_int_equal(e[0], am_DOWN);
    assert_true(term_equal(e[1], reference));
    assert_int_equal(e[2], am_process);
    assert_true(term_equal(e[3], object));
    assert_true(term_equal(e[4], reason));
    p->messages = (Message *)m->signal.next;
    if (p->messages == NULL)
        p->messages_last = p->save = &p->messages;
    message_free(m);
}

static Term its_object(Term reference) {
    Monitor *m = (Monitor *)key_table_find(&p->monitors, reference_key(reference));
    return monitor_object(process_area(p), m);
}

static void its_end_is_told(void **state) {
    Term reference = monitor(ALIAS_NONE);
    told_of_pid(FAR_MONITOR, reference);
    assert_true(term_equal(its_object(reference), other));
    Term reason = area_tuple2(process_area(p), am_error, other);
    down_comes(reference, other, reason);
    has_received(reference, other, reason);
}

static void an_end_after_demonitor_is_not_seen(void **state) {
    Term reference = monitor(ALIAS_NONE);
    told_of_pid(FAR_MONITOR, reference);
    assert_true(monitor_remove(p, reference_key(reference)));
    told_of_pid(FAR_DEMONITOR, reference);
    assert_false(monitor_remove(p, reference_key(reference)));
    down_comes(reference, other, am_normal);
}

static void an_alias_outlives_it(void **state) {
    Term reference = monitor(ALIAS_EXPLICIT_UNALIAS);
    told_of_pid(FAR_MONITOR, reference);
    down_comes(reference, other, am_normal);
    has_received(reference, other, am_normal);
    assert_int_equal(alias_state(p, reference_key(reference)), ALIAS_OPEN);
    assert_int_equal(far_count(), 0);
    assert_true(alias_remove(p, reference_key(reference)));
}

static void a_reply_ends_it(void **state) {
    Term reference = monitor(ALIAS_REPLY_DEMONITOR);
    told_of_pid(FAR_MONITOR, reference);
    assert_int_equal(alias_accept(p, reference_key(reference)), ALIAS_OPEN);
    told_of_pid(FAR_DEMONITOR, reference);
}

static void where_no_way_leads_it_ends_at_once(void **state) {
    unit_far_reaches = false;
    Term reference = monitor(ALIAS_DEMONITOR);
    signal_handle(p);
    has_received(reference, other, am_noconnection);
    Term removed = monitor(ALIAS_NONE);
    assert_true(monitor_remove(p, reference_key(removed)));
    signal_handle(p);
}

static void a_name_on_another_node(void **state) {
    MonitorOptions o = MONITOR_DEFAULTS;
    Term reference = monitor_far_name(p, am_init, unit_far_name(), &o);
    const FarOrder *order = told(FAR_MONITOR, reference);
    assert_int_equal(order->to, am_init);
    assert_int_equal(order->node, unit_far_name());
    Term object = area_tuple2(process_area(p), am_init, unit_far_name());
    assert_true(term_equal(its_object(reference), object));
    down_comes(reference, object, am_noproc);
    has_received(reference, object, am_noproc);
    unit_far_reaches = false;
    reference = monitor_far_name(p, am_init, unit_far_name(), &o);
    signal_handle(p);
    has_received(reference, object, am_noconnection);
}

static void who_ends_watches_no_more(void **state) {
    Term reference = monitor(ALIAS_NONE);
    told_of_pid(FAR_MONITOR, reference);
    while (monitor_release_next(p)) {
    }
    told_of_pid(FAR_DEMONITOR, reference);
}

/* The other way: a connection watches for a process of the other node. */
typedef struct {
    NativeWatch watch;
    Term pid, reason;
    int downs, drops;
} Watch;

static void went_down(NativeWatch *watch, Process *ending, Term pid, Term reason) {
    Watch *w = (Watch *)watch;
    w->pid = pid;
    w->reason = reason;
    w->downs++;
}

static void dropped(NativeWatch *watch) { ((Watch *)watch)->drops++; }

#define WATCH                                                                                                          \
    {                                                                                                                  \
        .watch = {.down = went_down, .drop = dropped }                                                                 \
    }

static void who_watches_hears_the_reason(void **state) {
    Watch w = WATCH;
    assert_true(monitor_native(p->pid, 5, &w.watch));
    signal_handle(p);
    assert_true(watcher_down_next(p, am_killed));
    assert_int_equal(w.downs, 1);
    assert_int_equal(w.pid, p->pid);
    assert_int_equal(w.reason, am_killed);
    assert_false(watcher_down_next(p, am_killed));
    assert_int_equal(w.drops, 0);
}

static void who_watches_no_more_hears_nothing(void **state) {
    Watch w = WATCH;
    assert_true(monitor_native(p->pid, 6, &w.watch));
    demonitor_native(p->pid, 6);
    signal_handle(p);
    assert_false(watcher_down_next(p, am_killed));
    assert_int_equal(w.drops, 1);
    assert_int_equal(w.downs, 0);
}

#define watched(name) cmocka_unit_test_setup_teardown(name, begin, end)

static int begin_all(void **state) {
    unit_processes_init();
    reference_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        watched(its_end_is_told),
        watched(an_end_after_demonitor_is_not_seen),
        watched(an_alias_outlives_it),
        watched(a_reply_ends_it),
        watched(where_no_way_leads_it_ends_at_once),
        watched(a_name_on_another_node),
        watched(who_ends_watches_no_more),
        watched(who_watches_hears_the_reason),
        watched(who_watches_no_more_hears_nothing),
    };
    return cmocka_run_group_tests(tests, begin_all, NULL);
}
