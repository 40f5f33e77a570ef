/*
 * Which messages refer to literals: what the copier has seen to have none is not walked, however large; everything that
 * may have some is.
 */
#include "process/message.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "process/life.h"
#include "process/signal_handle.h"
#include "term/atom.h"
#include "unit.h"

#define CELLS 100000
#define FEW_UNITS 100
#define UNIT_WORDS 12

static Term words[2 * CELLS + 16];
static LiteralArea *literals;

static Term *no_more(Area *area, size_t count) { panic("%zu words too many", count); }

static LiteralSearch search_for_them(void) { return (LiteralSearch){.set = {.range = literal_range(literals)}}; }

/* [1, 1, ... | Tail] */
static Term list_before(Term tail) {
    Area area = {.top = words, .limit = words + array_length(words), .overflow = no_more};
    for (unsigned i = 0; i < CELLS; i++)
        tail = area_cons(&area, small_make(1), tail);
    return tail;
}

static bool is_walked(const Message *m, bool *refers) {
    const LiteralSearch search = search_for_them();
    long_work_begin();
    *refers = message_refers(m, &search);
    return long_work_end() > FEW_UNITS;
}

static void is_found_in(Term term, Term token) {
    bool refers;
    Process *p = process_create(UNIT_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    Message *m = message_create(term, NON_VALUE, token);
    signal_append_own(p, m);
    is_walked(m, &refers);
    assert_true(refers);
    message_leave_literals(p, m);
    assert_false(is_walked(m, &refers));
    assert_false(refers);
    process_free(p);
}

static void what_has_none_is_not_walked(void **state) {
    bool refers;
    Message *m = message_create(list_before(NIL), NON_VALUE, NIL);
    assert_false(is_walked(m, &refers));
    assert_false(refers);
    message_free(m);
    KeptMessage kept = kept_message_make(list_before(list_make(literals->start)), NON_VALUE, NIL);
    assert_false(is_walked(kept.message, &refers));
    assert_false(refers);
    kept_message_free(&kept);
}

static void what_has_one_is_found(void **state) {
    Term literal = list_make(literals->start);
    Term pair[] = {header_make(KIND_TUPLE, 2), NIL, literal};
    is_found_in(literal, NIL);
    is_found_in(list_before(literal), NIL);
    is_found_in(list_before(boxed_make(pair)), NIL);
    is_found_in(boxed_make(pair), NIL);
    is_found_in(list_before(NIL), boxed_make(pair));
    is_found_in(am_ok, boxed_make(pair));
    Message *m = message_create(list_before(NIL), NON_VALUE, NIL);
    message_add_token(m, boxed_make(pair));
    bool refers;
    is_walked(m, &refers);
    assert_true(refers);
    message_free(m);
}

/* Sizes count them, copies still share them: nothing was met, and one is referred to. */
static void what_is_made_while_some_are_counted_is_walked(void **state) {
    bool refers;
    literal_mark(literals);
    literal_counted = literal_range(literals);
    Message *m = message_create(list_before(list_make(literals->start)), NON_VALUE, NIL);
    is_walked(m, &refers);
    assert_true(refers);
    message_free(m);
    m = message_create(list_before(NIL), NON_VALUE, NIL);
    assert_true(is_walked(m, &refers));
    assert_false(refers);
    message_free(m);
    literal_counted = 0;
    literal_unmark(literals);
}

int main(void) {
    literal_span_init();
    atom_table_init(10000);
    thread_progress_register();
    literals = literal_area_create(2);
    area_cons(&literals->area, small_make(7), NIL);
    const struct CMUnitTest tests[] = {unit(what_has_none_is_not_walked), unit(what_has_one_is_found),
                                       unit(what_is_made_while_some_are_counted_is_walked)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    literal_area_free(literals);
    thread_progress_unregister();
    return failed;
}
