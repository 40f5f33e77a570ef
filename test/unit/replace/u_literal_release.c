/*
 * Literals and dirty calls: an area that a call refers to is there until the call is over, whatever rounds are made
 * meanwhile, and goes then; one that no call refers to goes with its round. A thread makes calls, each of which reads
 * an area that is handed in meanwhile; another makes rounds and looks through the gate. (Free areas trap in the builds
 * with a sanitizer.)
 */
#include "replace/literal_release.h"

#include <sched.h>

#include "process/dirty_gate.h"
#include "process/life.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "unit.h"

#define CALLS 3000
#define SECONDS 100

static _Atomic unsigned rounds;
static _Atomic bool stop;

static LiteralArea *area_with(SWord n) {
    LiteralArea *la = literal_area_create(2);
    area_cons(&la->area, small_make(n), NIL);
    return la;
}

static Term list_of(const LiteralArea *la) { return list_make(la->start); }

/* One round, as the collector makes it. It asks only this process. */
static void ask(Process *p) {
    SystemTask task = {.argument = am_init};
    while (!dirty_gate_look(p) && !atomic_load(&stop))
        sched_yield();
    if (atomic_load(&stop))
        return;
    assert_int_equal(system_task_copy_literals.look(p, &task), am_ok);
    dirty_gate_look_end(p);
}

static bool make_round(Process *p) {
    if (literal_release_take() == 0)
        return false;
    ask(p);
    literal_release_look_at_shells();
    literal_released();
    atomic_fetch_add(&rounds, 1);
    return true;
}

static void collector(void *p) {
    thread_progress_register();
    while (!atomic_load(&stop))
        if (!make_round(p))
            sched_yield();
    thread_progress_unregister();
}

/* In the call it reads its argument through two rounds at least, of which the second takes other areas. */
static void call(Process *p, SWord n) {
    LiteralArea *la = area_with(n);
    p->saved[0] = list_of(la);
    p->arity = 1;
    dirty_gate_open(p, GATE_CALL_TO_END);
    literal_release(la);
    unsigned begun = atomic_load(&rounds);
    while (atomic_load(&rounds) - begun < 2) {
        assert_int_equal(small_value(list_head(p->saved[0])), n);
        literal_release(area_with(-n));
        sched_yield();
    }
    dirty_gate_shut(p);
    p->arity = 0;
    if (p->flags & FLAG_HOLDS_LITERALS)
        literal_holder_leaves(p);
}

static void what_a_call_refers_to_is_there(void **state) {
    Thread thread;
    Process *p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    int64_t deadline = clock_monotonic() + SECONDS * NANOSECONDS_PER_SECOND;
    thread_start(&thread, "collector", 0, collector, p);
    for (SWord n = 1; n <= CALLS && clock_monotonic() < deadline; n++)
        call(p, n);
    atomic_store(&stop, true);
    thread_join(&thread);
    while (make_round(p))
        ;
    process_free(p);
    LiteralArea *la = literal_area_create(1000000); /* all is free again */
    assert_ptr_equal(la->start, literal_span_start);
    literal_area_free(la);
}

int main(void) {
    literal_span_init();
    thread_progress_register();
    const struct CMUnitTest tests[] = {unit(what_a_call_refers_to_is_there)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    thread_progress_unregister();
    return failed;
}
