/*
 * What a process holds of large binaries: each is told by what leads there first, with what of it is shown, and how
 * many references there are; the walk leaves the process as it was, and tells the same after a collection, but for what
 * nothing led to.
 */
#include "process/binaries.h"

#include <string.h>

#include "alloc/alloc.h"
#include "heap/literal.h"
#include "process/dictionary.h"
#include "process/message.h"
#include "term/bits.h"
#include "unit.h"
#include "unit_process.h"

/* Their sizes tell them apart. */
enum { IN_DICTIONARY = 1000, ON_STACK = 2000, IN_PARTS = 3000, GARBAGE = 4000, IN_MESSAGE = 5000 };
enum { BYTES, SHOWN, REFERENCES, OTHERS, BY, AGE };                          /* of a row */
enum { HELD, COUNT, ALL_SHOWN, ALL_GARBAGE, ALL_MESSAGES, ALONE, HEAP, ROWS }; /* of the answer */
#define ALL (IN_DICTIONARY + ON_STACK + IN_PARTS + GARBAGE + IN_MESSAGE)
#define PART_BYTES 100
#define ANSWER_WORDS 200

static Process *p;
static RefcBinary *on_stack; /* the test has it as well */
static Term words[ANSWER_WORDS];

static Term *no_more(Area *area, size_t count) { panic("%zu words too many", count); }

static Term answer_of(size_t rows) {
    Area area = {.top = words, .limit = words + array_length(words), .overflow = no_more};
    return binaries_of(p, rows, &area);
}

static SWord number_in(Term tuple, unsigned i) { return small_value(tuple_elements(tuple)[i]); }

static Term row_of(Term answer, SWord bytes) {
    for (Term l = tuple_elements(answer)[ROWS]; is_list(l); l = list_tail(l))
        if (number_in(list_head(l), BYTES) == bytes)
            return list_head(l);
    return NON_VALUE;
}

static void is_row(Term answer, SWord bytes, SWord shown, SWord references, SWord others, Term by) {
    Term row = row_of(answer, bytes);
    assert_true(is_value(row));
    assert_int_equal(number_in(row, SHOWN), shown);
    assert_int_equal(number_in(row, REFERENCES), references);
    assert_int_equal(number_in(row, OTHERS), others);
    assert_int_equal(tuple_elements(row)[BY], by);
}

static Term reference_to(RefcBinary *binary) { return binary_from_refc(process_area(p), binary, binary->size); }

/* Two windows, which have half of a window in common, and do not begin with a byte. */
static Term parts_of(Term binary) {
    Area *area = process_area(p);
    Term first = bits_sub(area, binary, 4, PART_BYTES * 8);
    return area_tuple2(area, first, bits_sub(area, binary, 4 + PART_BYTES * 4, PART_BYTES * 8));
}

static void fill(void) {
    dictionary_put(p, am_ok, reference_to(refc_binary_create(IN_DICTIONARY)));
    on_stack = refc_binary_create(ON_STACK);
    refc_binary_retain(on_stack);
    *--p->heap.area.limit = reference_to(on_stack);
    p->saved[0] = parts_of(reference_to(refc_binary_create(IN_PARTS)));
    p->arity = 1;
    (void)reference_to(refc_binary_create(GARBAGE));
    RefcBinary *sent = refc_binary_create(IN_MESSAGE);
    signal_append_own(p, message_create(reference_to(sent), NON_VALUE, NIL));
}

/* The sender's reference to what was sent is the process's own here. */
static void all_are_told(void **state) {
    Term answer = answer_of(10);
    assert_int_equal(number_in(answer, HELD), ALL);
    assert_int_equal(number_in(answer, COUNT), 5);
    assert_int_equal(number_in(answer, ALL_SHOWN), IN_DICTIONARY + ON_STACK + PART_BYTES + PART_BYTES / 2 + IN_MESSAGE);
    assert_int_equal(number_in(answer, ALL_GARBAGE), GARBAGE);
    assert_int_equal(number_in(answer, ALL_MESSAGES), IN_MESSAGE);
    assert_int_equal(number_in(answer, ALONE), ALL - ON_STACK);
    is_row(answer, IN_DICTIONARY, IN_DICTIONARY, 1, 0, am_dictionary);
    is_row(answer, ON_STACK, ON_STACK, 1, 1, am_stack);
    is_row(answer, IN_PARTS, PART_BYTES + PART_BYTES / 2, 1, 0, am_stack);
    is_row(answer, GARBAGE, 0, 1, 0, am_garbage);
    is_row(answer, IN_MESSAGE, IN_MESSAGE, 2, 0, am_messages);
}

static void the_largest_are_told(void **state) {
    Term rows = tuple_elements(answer_of(2))[ROWS];
    assert_int_equal(number_in(list_head(rows), BYTES), IN_MESSAGE);
    assert_int_equal(number_in(list_head(list_tail(rows)), BYTES), GARBAGE);
    assert_int_equal(list_tail(list_tail(rows)), NIL);
    assert_int_equal(tuple_elements(answer_of(0))[ROWS], NIL);
}

static void nothing_is_changed(void **state) {
    const Process before = *p;
    size_t bytes = (size_t)(p->heap.end - p->heap.area.limit) * sizeof(Term);
    Term *stack = mem_alloc(ALLOC_TEMP, bytes), message = p->messages->term;
    memcpy(stack, p->heap.area.limit, bytes);
    (void)answer_of(10);
    assert_memory_equal(&before.heap, &p->heap, sizeof before.heap);
    assert_memory_equal(stack, p->heap.area.limit, bytes);
    assert_int_equal(before.saved[0], p->saved[0]);
    assert_int_equal(message, p->messages->term);
    assert_int_equal(p->message_count, 1);
    mem_free(ALLOC_TEMP, stack);
}

/* A reference of two counts for half of the binary. */
static void shares_add_up(void **state) {
    BinaryShare sum;
    assert_true(binaries_share(p, &sum, 100));
    assert_int_equal(sum.references, 6);
    assert_int_equal(sum.share, ALL - ON_STACK / 2);
    assert_int_equal(sum.largest, IN_MESSAGE);
    assert_false(binaries_share(p, &sum, 2));
    assert_int_equal(sum.references, 3);
}

/* Twice: what survives the first is young, what survives two is old. */
static void a_collection_lets_garbage_go(void **state) {
    for (int i = 0; i < 2; i++) {
        process_collect_saved(p, i == 0 ? COLLECT_MINOR : COLLECT_MAJOR);
        Term answer = answer_of(10);
        assert_int_equal(number_in(answer, HELD), ALL - GARBAGE);
        assert_int_equal(number_in(answer, ALL_GARBAGE), 0);
        is_row(answer, IN_DICTIONARY, IN_DICTIONARY, 1, 0, am_dictionary);
        is_row(answer, IN_PARTS, PART_BYTES + PART_BYTES / 2, 1, 0, am_stack);
        is_row(answer, IN_MESSAGE, IN_MESSAGE, 1, 0, am_messages);
    }
    BinaryShare sum;
    assert_true(binaries_share(p, &sum, 100));
    assert_int_equal(sum.share, ALL - GARBAGE - ON_STACK / 2);
}

/* What leads to it first is told: the stack before the dictionary. */
static void the_first_way_counts(void **state) {
    p->saved[0] = dictionary_get(p, am_ok);
    is_row(answer_of(10), IN_DICTIONARY, IN_DICTIONARY, 1, 0, am_stack);
    is_row(answer_of(10), IN_PARTS, 0, 1, 0, am_garbage);
    p->arity = 0;
    is_row(answer_of(10), IN_DICTIONARY, IN_DICTIONARY, 1, 0, am_dictionary);
}

static void all_goes_with_it(void **state) {
    unit_process_end(p);
    assert_true(refc_binary_is_sole(on_stack));
    refc_binary_release(on_stack);
    assert_int_equal(alloc_sum(ALLOC_BINARY).blocks, 0);
}

int main(void) {
    unit_processes_init();
    literal_span_init();
    p = unit_process(STATE_RUNNING);
    fill();
    const struct CMUnitTest tests[] = {
        unit(all_are_told),     unit(the_largest_are_told),         unit(nothing_is_changed),
        unit(shares_add_up),    unit(a_collection_lets_garbage_go), unit(the_first_way_counts),
        unit(all_goes_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
