/*
 * The gate of a process on a dirty thread: an owner opens it, shuts it and changes the stack in between; others look
 * at the stack meanwhile, and may see only what it was while the gate was open. The stack is longer than one look.
 */
#include "process/dirty_gate.h"

#include "heap/literal.h"
#include "process/code_check.h"
#include "process/reference.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "unit.h"

#define LOOKERS 3
#define STACK_WORDS (3 * DIRTY_LOOK_WORDS)
#define ROUNDS 3000

static Word code[8];
static const ModuleInstance instance = {.code = code, .word_count = 8};
static Process *p;
static _Atomic bool over;
static _Atomic int seen;

/* Between the rounds the stack is full of return addresses into the code; while the gate is open there is none. */
static void fill(Term word) {
    for (size_t i = 1; i <= STACK_WORDS; i++)
        p->heap.end[-(ptrdiff_t)i] = word;
    p->heap.area.limit = p->heap.end - STACK_WORDS;
}

static void look(void *data) {
    thread_progress_register();
    while (!atomic_load(&over)) {
        Term answer = code_check_dirty(p, code_range(&instance));
        if (answer == am_true)
            atomic_store(&seen, 1000000);
        else if (answer == am_false)
            atomic_fetch_add(&seen, 1);
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void nobody_sees_what_happens_behind_a_shut_gate(void **state) {
    Thread threads[LOOKERS];
    p = process_create(2 * STACK_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    p->ip = NULL;
    fill(return_address_make(code + 1));
    assert_true(code_check(p, code_range(&instance)));
    assert_false(is_value(code_check_dirty(p, code_range(&instance))));
    for (int i = 0; i < LOOKERS; i++)
        thread_start(&threads[i], "looker", 0, look, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        fill(NIL);
        dirty_gate_open(p);
        for (int before = atomic_load(&seen); i % 64 == 0 && atomic_load(&seen) == before;)
            sched_yield();
        dirty_gate_shut(p);
        fill(return_address_make(code + 1));
    }
    atomic_store(&over, true);
    for (int i = 0; i < LOOKERS; i++)
        thread_join(&threads[i]);
    assert_true(atomic_load(&seen) < 1000000);
    process_free(p);
}

static void an_open_gate_shows_stack_and_instruction(void **state) {
    p = process_create(2 * STACK_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    p->ip = code + 3;
    fill(NIL);
    dirty_gate_open(p);
    assert_int_equal(code_check_dirty(p, code_range(&instance)), am_true);
    dirty_gate_shut(p);
    p->ip = code + 8;
    dirty_gate_open(p);
    assert_int_equal(code_check_dirty(p, code_range(&instance)), am_false);
    dirty_gate_shut(p);
    p->heap.end[-1] = return_address_make(code + 8); /* the call before it is the last instruction */
    dirty_gate_open(p);
    assert_int_equal(code_check_dirty(p, code_range(&instance)), am_true);
    dirty_gate_shut(p);
    p->heap.end[-1] = catch_make(code + 2);
    dirty_gate_open(p);
    uint64_t turn = dirty_gate_look(p);
    assert_int_not_equal(turn, 0);
    dirty_gate_look_end(p);
    assert_int_equal(code_check_dirty(p, code_range(&instance)), am_true);
    dirty_gate_shut(p);
    assert_int_equal(dirty_gate_look(p), 0);
    process_free(p);
}

int main(void) {
    literal_span_init();
    reference_init();
    const struct CMUnitTest tests[] = {unit(an_open_gate_shows_stack_and_instruction),
                                       unit(nobody_sees_what_happens_behind_a_shut_gate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
