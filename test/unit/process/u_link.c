/* Links to processes of other nodes: what is told to the connection, and what its signals do, in all orders. */
#include "process/link.h"

#include "process/reference.h"
#include "term/compare.h"
#include "unit.h"
#include "unit_far.h"
#include "unit_process.h"

#define OTHER 7 /* the number of the pid that it is about */

static Process *p;
static Term other;

static int begin(void **state) {
    unit_far_begin();
    thread_progress_enter();
    p = unit_process(STATE_RUNNING);
    p->flags |= FLAG_TRAP_EXIT;
    other = unit_far_pid(OTHER);
    return 0;
}

static int end(void **state) {
    assert_int_equal(p->links.count, 0);
    process_table_remove(p);
    if (atomic_load(&p->signals_in) != SIGNALS_CLOSED)
        signal_close(p);
    process_free(p);
    thread_progress_leave();
    unit_far_end();
    return 0;
}

static void link(void) { assert_true(link_make(p, other, false)); }

/* By the connection. */
static void comes_by(uint32_t connection, SignalKind kind, uint64_t id) {
    Far *far = far_put(other);
    assert_true(link_signal_from_far(kind, p->pid, far, connection, id));
    far_release(far);
    signal_handle(p);
}

static void comes(SignalKind kind, uint64_t id) { comes_by(1, kind, id); }

static void exit_comes(Term reason) {
    signal_send_or_drop(p->pid, &exit_signal_create(SIGNAL_EXIT_LINKED, other, reason)->signal);
    signal_handle(p);
}

static void connection_ends(uint32_t number) {
    Message *m = exit_signal_create(SIGNAL_EXIT_LINKED, other, am_noconnection);
    m->key = number;
    signal_send_or_drop(p->pid, &m->signal);
    signal_handle(p);
}

static uint64_t told(FarKind kind) {
    const FarOrder *o = unit_order(kind, p->pid);
    assert_true(term_equal(o->to, other));
    return o->id;
}

/* The next in the queue is {'EXIT', other, reason}. */
static void has_received(Term reason) {
    Message *m = p->messages;
    assert_non_null(m);
    const Term *e = tuple_elements(m->term);
    assert_int_equal(e[0], am_EXIT);
    assert_true(term_equal(e[1], other));
    assert_int_equal(e[2], reason);
    p->messages = (Message *)m->signal.next;
    if (p->messages == NULL)
        p->messages_last = p->save = &p->messages;
    message_free(m);
}

static void has_received_nothing(void) { assert_null(p->messages); }

static void a_link_is_told_once(void **state) {
    link();
    link();
    told(FAR_LINK);
    assert_int_equal(p->links.count, 1);
    exit_comes(am_normal);
    has_received(am_normal);
}

static void an_unlink_stays_until_it_is_acknowledged(void **state) {
    link();
    told(FAR_LINK);
    link_remove(p, other);
    uint64_t id = told(FAR_UNLINK);
    link_remove(p, other);
    comes(SIGNAL_UNLINK_ACK, id + 1);
    assert_int_equal(p->links.count, 1);
    comes(SIGNAL_UNLINK_ACK, id);
    assert_int_equal(p->links.count, 0);
}

static void an_exit_that_crosses_an_unlink_is_not_seen(void **state) {
    link();
    told(FAR_LINK);
    link_remove(p, other);
    uint64_t id = told(FAR_UNLINK);
    exit_comes(am_killed);
    has_received_nothing();
    assert_int_equal(p->links.count, 0);
    comes(SIGNAL_UNLINK_ACK, id);
}

static void who_links_again_before_the_acknowledgement_is_linked(void **state) {
    link();
    told(FAR_LINK);
    link_remove(p, other);
    uint64_t id = told(FAR_UNLINK);
    link();
    told(FAR_LINK);
    comes(SIGNAL_UNLINK_ACK, id);
    assert_int_equal(p->links.count, 1);
    exit_comes(am_killed);
    has_received(am_killed);
}

static void the_other_links_and_unlinks(void **state) {
    comes(SIGNAL_LINK, 0);
    comes(SIGNAL_LINK, 0);
    assert_int_equal(p->links.count, 1);
    comes(SIGNAL_UNLINK, 55);
    assert_int_equal(told(FAR_UNLINK_ACK), 55);
    assert_int_equal(p->links.count, 0);
    comes(SIGNAL_UNLINK, 56);
    assert_int_equal(told(FAR_UNLINK_ACK), 56);
    exit_comes(am_killed);
    has_received_nothing();
}

static void both_unlink_at_once(void **state) {
    link();
    told(FAR_LINK);
    link_remove(p, other);
    uint64_t id = told(FAR_UNLINK);
    comes(SIGNAL_UNLINK, 55);
    assert_int_equal(told(FAR_UNLINK_ACK), 55);
    assert_int_equal(p->links.count, 1);
    comes(SIGNAL_UNLINK_ACK, id);
}

/* The link that the other makes anew comes behind what it had sent before the acknowledgement. */
static void the_other_links_while_an_unlink_is_under_way(void **state) {
    link();
    told(FAR_LINK);
    link_remove(p, other);
    uint64_t id = told(FAR_UNLINK);
    comes(SIGNAL_LINK, 0);
    comes(SIGNAL_UNLINK_ACK, id);
    assert_int_equal(p->links.count, 0);
}

static void where_no_way_leads_an_exit_signal_comes(void **state) {
    unit_far_reaches = false;
    link();
    assert_int_equal(p->links.count, 1);
    link();
    signal_handle(p);
    has_received(am_noconnection);
    has_received_nothing();
}

static void it_is_not_seen_when_the_link_was_undone(void **state) {
    unit_far_reaches = false;
    link();
    link_remove(p, other);
    assert_int_equal(p->links.count, 0);
    signal_handle(p);
    has_received_nothing();
}

static void it_ends_who_does_not_trap_exits(void **state) {
    unit_far_reaches = false;
    p->flags &= ~(uint32_t)FLAG_TRAP_EXIT;
    link();
    signal_handle(p);
    assert_true(process_is_exiting(p));
    assert_int_equal(p->exit_reason, am_noconnection);
}

static void a_connection_ends(void **state) {
    link();
    told(FAR_LINK);
    exit_comes(am_noconnection);
    has_received(am_noconnection);
    link();
    told(FAR_LINK);
    link_remove(p, other);
    told(FAR_UNLINK);
    exit_comes(am_noconnection);
    has_received_nothing();
}

static void who_ends_tells_those_it_is_linked_to(void **state) {
    Term first = other;
    link();
    told(FAR_LINK);
    other = unit_far_pid(OTHER + 1);
    link();
    told(FAR_LINK);
    link_remove(p, other);
    told(FAR_UNLINK);
    while (link_exit_next(p, am_killed)) {
    }
    const FarOrder *o = unit_order(FAR_EXIT_LINKED, p->pid);
    assert_true(term_equal(o->to, first));
    assert_int_equal(o->payload, am_killed);
    assert_int_equal(o->token, NIL);
}

/* The signals came before the list was closed. */
static void who_has_ended_answers_for_itself(void **state) {
    Far *far = far_put(other);
    assert_true(link_signal_from_far(SIGNAL_LINK, p->pid, far, 1, 0));
    assert_true(link_signal_from_far(SIGNAL_UNLINK, p->pid, far, 3, 9));
    assert_true(link_signal_from_far(SIGNAL_UNLINK_ACK, p->pid, far, 3, 10));
    signal_close(p);
    assert_int_equal(unit_order(FAR_EXIT_LINKED, p->pid)->payload, am_noproc);
    const FarOrder *o = unit_order(FAR_UNLINK_ACK, p->pid);
    assert_int_equal(o->id, 9);
    assert_int_equal(o->answered, 3);
    assert_false(link_signal_from_far(SIGNAL_LINK, p->pid, far, 1, 0));
    assert_int_equal(atomic_load(&far->refc), 1);
    far_release(far);
}

static void nobody_is_there(void **state) {
    Far *far = far_put(other);
    assert_false(link_signal_from_far(SIGNAL_LINK, pid_make(pid_data(p->pid) + 1), far, 1, 0));
    assert_false(link_signal_from_far(SIGNAL_UNLINK, other, far, 1, 1));
    assert_int_equal(atomic_load(&far->refc), 1);
    far_release(far);
}

/* Undone by the first connection, and made anew by the second. */
static void link_by_two(void) {
    link();
    told(FAR_LINK);
    link_remove(p, other);
    told(FAR_UNLINK);
    unit_far_connection = 2;
    link();
    told(FAR_LINK);
}

/* What was told a later connection does not end with the one before. */
static void an_older_connection_ends(void **state) {
    link_by_two();
    connection_ends(1);
    has_received_nothing();
    assert_int_equal(p->links.count, 1);
    connection_ends(2);
    has_received(am_noconnection);
}

/* Nor is it undone by what the one before had brought. */
static void an_older_connections_unlink_comes(void **state) {
    link_by_two();
    comes_by(1, SIGNAL_UNLINK, 7);
    assert_int_equal(unit_order(FAR_UNLINK_ACK, p->pid)->answered, 1);
    assert_true(link_is_there(p, other));
    comes_by(2, SIGNAL_UNLINK, 8);
    assert_int_equal(unit_order(FAR_UNLINK_ACK, p->pid)->answered, 2);
    assert_false(link_is_there(p, other));
}

/* Where it was not told which, as of what the other has made, any end is that of the link. */
static void the_others_link_ends_with_any_connection(void **state) {
    comes(SIGNAL_LINK, 0);
    connection_ends(UINT32_MAX);
    has_received(am_noconnection);
}

static void numbers_of_connections_begin_anew(void **state) {
    unit_far_connection = 1;
    link();
    told(FAR_LINK);
    connection_ends(UINT32_MAX - 1);
    has_received_nothing();
    connection_ends(1);
    has_received(am_noconnection);
}

#define linked(name) cmocka_unit_test_setup_teardown(name, begin, end)

static int begin_all(void **state) {
    unit_processes_init();
    reference_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        linked(a_link_is_told_once),
        linked(an_unlink_stays_until_it_is_acknowledged),
        linked(an_exit_that_crosses_an_unlink_is_not_seen),
        linked(who_links_again_before_the_acknowledgement_is_linked),
        linked(the_other_links_and_unlinks),
        linked(both_unlink_at_once),
        linked(the_other_links_while_an_unlink_is_under_way),
        linked(where_no_way_leads_an_exit_signal_comes),
        linked(it_is_not_seen_when_the_link_was_undone),
        linked(it_ends_who_does_not_trap_exits),
        linked(a_connection_ends),
        linked(an_older_connection_ends),
        linked(an_older_connections_unlink_comes),
        linked(the_others_link_ends_with_any_connection),
        linked(numbers_of_connections_begin_anew),
        linked(who_ends_tells_those_it_is_linked_to),
        linked(who_has_ended_answers_for_itself),
        linked(nobody_is_there),
    };
    return cmocka_run_group_tests(tests, begin_all, NULL);
}
