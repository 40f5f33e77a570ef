/*
 * A session is there until who looks how far all have come in it is through: his thread is offline in the middle, the
 * session may end then, and nobody else has a count. For AddressSanitizer.
 */
#include "trace/settle.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "process/process_table.h"
#include "term/atom.h"
#include "trace/session_end.h"
#include "unit.h"

static TraceSession *session;
static int64_t blocks_with_it;
static unsigned times_given_away;

/* Of long work: the first walk; and the second, after thread progress. */
static void give_away(void) {
    if (times_given_away++ > 0) {
        assert_int_equal(alloc_sum(ALLOC_TRACE).blocks, blocks_with_it);
        return;
    }
    assert_true(trace_session_end(session, am_destroyed, NON_VALUE, 0));
    trace_session_release(session);
    long_work_hurry(0);
}

static void what_is_settled_stays(void **state) {
    int64_t blocks_without = alloc_sum(ALLOC_TRACE).blocks;
    session = trace_session_create(am_ok, TRACER_NOBODY, false, NULL);
    blocks_with_it = alloc_sum(ALLOC_TRACE).blocks;
    long_work_here.give_away = give_away;
    long_work_begin();
    long_work_hurry(0);
    trace_settle(session, TRACED_PROCESSES);
    assert_int_equal(times_given_away, 2);
    assert_int_equal(alloc_sum(ALLOC_TRACE).blocks, blocks_without);
}

int main(void) {
    process_table_init(PROCESS_LIMIT_MIN);
    assert_true(is_value(process_table_reserve())); /* a slot is looked at */
    thread_progress_register();
    const struct CMUnitTest tests[] = {unit(what_is_settled_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
