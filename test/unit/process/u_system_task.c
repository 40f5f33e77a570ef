/*
 * Tasks of one that ends: they are refused by who asks as soon as it has let go of all that it refers to, and wait for
 * that until then.
 */
#include "process/system_task.h"

#include "process/life.h"
#include "process/process_table.h"
#include "process/signal_handle.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_process.h"

static Process *asker, *ending;

static void ask(const SystemTaskKind *kind) {
    system_task_send(ending->pid, system_task_create(kind, PRIORITY_NORMAL, asker->pid, am_tag, am_ok, am_undefined));
}

/* The third element of the only message; it is dropped. */
static Term answer(void) {
    atomic_fetch_or(&asker->state, STATE_RUNNING);
    signal_handle(asker);
    assert_int_equal(asker->message_count, 1);
    Message *m = asker->messages;
    Term refusal = tuple_elements(m->term)[2];
    asker->messages = NULL;
    asker->messages_last = &asker->messages;
    asker->message_count = 0;
    message_free(m);
    return refusal;
}

static void one_that_has_let_go_is_not_asked(void **state) {
    atomic_store(&ending->state, STATE_EXITING | STATE_LET_GO | STATE_RUNNING);
    ask(&system_task_collect);
    assert_null(atomic_load(&ending->signals_in));
    assert_int_equal(answer(), am_false);
    ask(&system_task_test);
    assert_int_equal(answer(), am_false);
}

static void one_that_is_to_end_is_asked(void **state) {
    atomic_store(&ending->state, STATE_EXITING | STATE_RUNNING);
    ask(&system_task_collect);
    assert_non_null(atomic_load(&ending->signals_in));
    assert_null(atomic_load(&asker->signals_in));
    process_table_remove(ending);
    atomic_fetch_or(&ending->state, STATE_FREE);
    signal_close(ending);
    assert_int_equal(answer(), am_false);
    ask(&system_task_collect); /* it is gone */
    assert_int_equal(answer(), am_false);
}

int main(void) {
    unit_processes_init();
    asker = unit_process(0);
    ending = unit_process(0);
    const struct CMUnitTest tests[] = {unit(one_that_has_let_go_is_not_asked), unit(one_that_is_to_end_is_asked)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    process_table_remove(asker);
    thread_progress_unregister();
    process_free(asker);
    process_free(ending);
    return failed;
}
