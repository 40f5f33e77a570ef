/* Messages in a process's queue, and collections of its heap meanwhile. */
#include "base/thread_progress.h"
#include "process/life.h"
#include "process/receive.h"
#include "process/signal_handle.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_steps.h"

#define MANY 20000
#define STEPS_MORE 2000 /* a queue of MANY takes ten times as many to walk, at least */

static Process *p;

static int begin(void **state) {
    thread_progress_register();
    p = process_create(1000, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    return 0;
}

static int end(void **state) {
    process_free(p);
    thread_progress_unregister();
    return 0;
}

static void add(SWord n) {
    Term words[] = {header_make(KIND_TUPLE, 1), small_make(n)};
    signal_append_own(p, message_create(boxed_make(words), NON_VALUE, NIL));
}

static void add_many(SWord from, SWord to) {
    for (; from < to; from++)
        add(from);
}

static SWord number_of(const Message *m) { return small_value(tuple_elements(m->term)[0]); }

/* As a receive that takes the n-th message: what it has passed over is in the heap. */
static void take(unsigned n) {
    Message *m = receive_peek(p);
    for (; n > 0; n--) {
        receive_next(p);
        m = receive_peek(p);
    }
    receive_remove(p, m);
}

static void collect(void *data) { assert_true(process_collect_kind(p, 0, NULL, 0, COLLECT_MAJOR)); }

static void what_lies_outside_of_the_heap_is_not_walked_over(void **state) {
    add(0);
    message_move_in(p, p->messages);
    int alone = unit_steps(collect, NULL);
    receive_remove(p, receive_peek(p));
    add_many(0, MANY);
    Message **last = p->messages_last;
    add(MANY);
    message_move_in(p, *last);
    assert_in_range(unit_steps(collect, NULL), 1, alone + STEPS_MORE);
    assert_int_equal(number_of(*last), MANY);
}

/* Some are in the heap, some are not; some of either have been taken. */
static void all_are_found_after_a_collection(void **state) {
    add_many(0, 100);
    take(70);
    take(0);
    take(30);
    collect(NULL);
    take(68);
    take(0);
    collect(NULL);
    SWord expected = 2;
    for (Message *m = p->messages; m != NULL; m = (Message *)m->signal.next, expected++) {
        expected += expected == 31; /* 0, 31 and 70 first; then 71, the 68th of those that were left, and 1 */
        expected += 2 * (expected == 70);
        assert_int_equal(number_of(m), expected);
    }
    assert_int_equal(expected, 100);
    assert_int_equal(p->message_count, 95);
}

/* The sum that stands for a walk. */
static void the_words_beside_add_up(void) {
    size_t words = 0;
    for (const Message *m = p->messages; m != NULL; m = (const Message *)m->signal.next)
        words += message_words(m);
    assert_int_equal(p->message_words, words);
}

static void a_limit_of_the_heap_has_no_queue_walked_over(void **state) {
    p->heap.max_words = SIZE_MAX / 2;
    int alone = unit_steps(collect, NULL);
    for (int i = 0; i < MANY; i++)
        signal_append_own(p, message_create(am_ok, NON_VALUE, NIL));
    assert_in_range(unit_steps(collect, NULL), 1, alone + STEPS_MORE);
}

/* One of no words, one whose words are its own, and one that has a fragment. */
static void add_of_each_kind(void) {
    Term words[MESSAGE_INLINE_WORDS + 2] = {header_make(KIND_TUPLE, MESSAGE_INLINE_WORDS + 1)};
    for (unsigned i = 1; i < array_length(words); i++)
        words[i] = NIL;
    signal_append_own(p, message_create(am_ok, NON_VALUE, NIL));
    add(1);
    signal_append_own(p, message_create(boxed_make(words), NON_VALUE, NIL));
    the_words_beside_add_up();
}

static void words_beside_are_counted_wherever_a_message_goes(void **state) {
    add_of_each_kind();
    assert_int_equal(message_words_beside(p), 2 + MESSAGE_INLINE_WORDS + 2);
    take(1);
    the_words_beside_add_up();
    take(1);
    assert_int_equal(message_words_beside(p), 0);
    p->flags |= FLAG_OFF_HEAP_MESSAGES;
    add_of_each_kind();
    assert_int_equal(message_words_beside(p), 0);
    take(3); /* which has passed over one in a block that lies in a fragment now */
    the_words_beside_add_up();
    assert_int_equal(p->message_words, 2);
    message_leave_literals(p, (Message *)p->messages->signal.next->next);
    the_words_beside_add_up();
    take(2);
    take(0);
    take(0);
    assert_int_equal(p->message_words, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_lies_outside_of_the_heap_is_not_walked_over, begin, end),
        cmocka_unit_test_setup_teardown(all_are_found_after_a_collection, begin, end),
        cmocka_unit_test_setup_teardown(a_limit_of_the_heap_has_no_queue_walked_over, begin, end),
        cmocka_unit_test_setup_teardown(words_beside_are_counted_wherever_a_message_goes, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
