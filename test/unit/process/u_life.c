/*
 * Who walks over all messages of a queue counts them as long work: to sum up what they take, or to collect.
 */
#include "process/life.h"

#include "base/long_work.h"
#include "heap/literal.h"
#include "process/message.h"
#include "process/process_table.h"
#include "process/receive.h"
#include "process/run_queue.h"
#include "process/signal_handle.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_process.h"

#define MESSAGES 10000

static void send_to_oneself(Process *p, Term term) {
    for (int i = 0; i < MESSAGES; i++)
        signal_append_own(p, message_create_own(p, term));
}

static void a_long_queue_is_long_work(void **state) {
    Process *p = unit_process(STATE_RUNNING);
    Term term = area_tuple2(process_area(p), am_ok, am_error);
    send_to_oneself(p, am_ok);
    send_to_oneself(p, term);
    long_work_begin();
    assert_true(process_memory(p) > 2 * MESSAGES * sizeof(Message));
    assert_true(long_work_end() >= 2 * MESSAGES);
    assert_true(process_collect_saved(p, COLLECT_MAJOR));
    assert_true(long_work_end() >= 4 * MESSAGES); /* there and back */
    process_table_remove(p);
    process_free(p);
}

int main(void) {
    unit_processes_init();
    literal_span_init();
    const struct CMUnitTest tests[] = {unit(a_long_queue_is_long_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
