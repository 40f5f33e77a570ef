/*
 * Priority messages: they stand before the ordinary ones, each kind in its sender's order, whoever sends meanwhile; and
 * a receive that is under way sees all of them. Threads send to an alias of one process, whose own thread walks its
 * queue as a receive does that nothing matches.
 */
#include "process/receive_marker.h"

#include <sched.h>
#include <string.h>

#include "process/monitor.h"
#include "process/receive.h"
#include "process/reference.h"
#include "process/run_queue.h"
#include "sys/thread.h"
#include "unit.h"
#include "unit_process.h"

#define SENDERS 3
#define ROUNDS 2000
#define COUNT (SENDERS * ROUNDS * 2)

static Process *p;
static Term alias;
static bool seen[COUNT];

static int begin(void **state) {
    p = unit_process(STATE_RUNNING);
    alias = alias_make(p, ALIAS_EXPLICIT_UNALIAS, true);
    memset(seen, 0, sizeof seen);
    return 0;
}

static int end(void **state) {
    while (receive_peek(p) != NULL)
        receive_remove(p, receive_peek(p));
    alias_remove(p, reference_key(alias));
    unit_process_end(p);
    return 0;
}

static void send_to(Term to, Term term, SignalKind kind) {
    Message *m = message_create(term, NON_VALUE, NIL);
    m->signal.kind = kind;
    m->key = reference_key(to);
    assert_true(signal_push(p, &m->signal));
}

static void send_term(Term term, bool is_priority) {
    send_to(alias, term, is_priority ? SIGNAL_PRIORITY_MESSAGE : SIGNAL_ALIAS_MESSAGE);
}

/* The number says who sent it, in which round, and how. */
static void sender(void *data) {
    size_t who = (size_t)(uintptr_t)data;
    thread_progress_register();
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t number = (who * ROUNDS + i) * 2;
        send_term(small_make((SWord)number), false);
        send_term(small_make((SWord)number + 1), true);
        if (i % 64 == 0)
            sched_yield();
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static size_t number_of(const Message *m) { return (size_t)small_value(m->term); }

/* Until all have come; the receive goes on where it was, as after a wait. */
static void walk_until_all_have_come(void) {
    size_t count = 0;
    while (count < COUNT) {
        Message *m = receive_peek(p);
        if (m == NULL) {
            sched_yield();
            continue;
        }
        count += !seen[number_of(m)];
        seen[number_of(m)] = true;
        receive_next(p);
    }
    assert_int_equal(p->message_count, COUNT);
}

static void the_queue_is_in_order(void) {
    size_t next[2][SENDERS] = {{0}}, count = 0;
    for (const Message *m = p->messages; m != NULL; m = (const Message *)m->signal.next, count++) {
        bool is_priority = number_of(m) % 2 != 0;
        assert_true(is_priority == (count < COUNT / 2));
        size_t who = number_of(m) / 2 / ROUNDS, round = number_of(m) / 2 % ROUNDS;
        assert_int_equal(round, next[is_priority][who]++);
    }
    assert_int_equal(count, COUNT);
}

static void all_are_seen_and_stand_in_order(void **state) {
    Thread threads[SENDERS];
    for (uintptr_t i = 0; i < SENDERS; i++)
        thread_start(&threads[i], "sender", 0, sender, (void *)i);
    walk_until_all_have_come();
    for (size_t i = 0; i < SENDERS; i++)
        thread_join(&threads[i]);
    the_queue_is_in_order();
}

static void takes(SWord number) {
    Message *m = receive_peek(p);
    assert_non_null(m);
    assert_true(m->term == small_make(number));
    receive_remove(p, m);
}

/* Whichever is taken out, the next one comes behind those that are left. */
static void their_end_is_known_after_removals(void **state) {
    send_term(small_make(10), false);
    send_term(small_make(1), true);
    send_term(small_make(2), true);
    assert_non_null(receive_peek(p));
    receive_next(p);
    takes(2);
    send_term(small_make(3), true);
    takes(1);
    takes(10);
    signal_handle(p);
    takes(3);
    send_term(small_make(11), false);
    assert_non_null(receive_peek(p));
    receive_next(p);
    send_term(small_make(4), true);
    takes(4);
    takes(11);
    assert_null(p->messages);
    assert_ptr_equal(p->messages_last, &p->messages);
}

static Term marked_reference(void) {
    Term marker = receive_marker_reserve(p), reference = reference_new(process_area(p));
    receive_marker_bind(p, marker, reference);
    return reference;
}

static void a_marker_passes_over_what_cannot_hold_its_reference(void **state) {
    send_term(small_make(10), false);
    send_term(small_make(1), true);
    signal_handle(p);
    Term reference = marked_reference(), other = reference_new(process_area(p));
    Term words[] = {header_make(KIND_TUPLE, 1), area_cons(process_area(p), other, NIL)};
    send_term(boxed_make(words), true);
    send_term(small_make(11), false);
    signal_handle(p);
    receive_marker_use(p, reference);
    takes(11);
    words[1] = area_cons(process_area(p), reference, NIL);
    send_term(boxed_make(words), true);
    signal_handle(p);
    receive_marker_use(p, reference);
    Message *m = receive_peek(p);

    assert_int_equal(reference_key(list_head(tuple_elements(m->term)[0])), reference_key(reference));
    receive_remove(p, m);
    assert_int_equal(p->message_count, 3);
}

/* What an alias takes is seen when the signal is handled: one that was sent before it was closed is dropped. */
static void an_alias_decides_when_the_signal_comes(void **state) {
    Term plain = alias_make(p, ALIAS_EXPLICIT_UNALIAS, false);
    send_term(small_make(10), false);
    send_to(plain, small_make(11), SIGNAL_PRIORITY_MESSAGE);
    signal_handle(p);
    send_term(small_make(12), true);
    alias_remove(p, reference_key(alias));
    takes(10);
    takes(11);
    assert_null(receive_peek(p));
    alias_remove(p, reference_key(plain));
    assert_false(monitor_takes_priority(p));
}

int main(void) {
    unit_processes_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_are_seen_and_stand_in_order, begin, end),
        cmocka_unit_test_setup_teardown(their_end_is_known_after_removals, begin, end),
        cmocka_unit_test_setup_teardown(a_marker_passes_over_what_cannot_hold_its_reference, begin, end),
        cmocka_unit_test_setup_teardown(an_alias_decides_when_the_signal_comes, begin, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    thread_progress_unregister();
    return failed;
}
