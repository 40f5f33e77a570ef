/*
 * Messages that count as bytes of a session's limit give them back to that one, however large its number.
 */
#include "trace/dropped.h"

#include "process/message.h"
#include "process/trace_point.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_process.h"

static TraceSession *numbered(int64_t number) {
    const LimitOptions options = {.bytes = 10000};
    TraceSession *s = trace_session_create(am_ok, TRACER_NOBODY, false, limit_create(&options));
    s->number = number;
    return s;
}

static void takes_and_gives_back(TraceSession *s, const TraceSession *other) {
    Area area;
    Message *m = limited_message_begin(s, &area, 10, NON_VALUE);
    int64_t bytes = limit_waiting(s->limit);
    assert_true(m != NULL && is_small(m->token) && bytes > 0);
    assert_int_equal(limit_waiting(other->limit), 0);
    limited_message_end(m, &area, am_ok);
    trace_points.taken(m->token);
    assert_int_equal(limit_waiting(s->limit), 0);
    assert_int_equal(limit_waiting(other->limit), 0);
    message_free(m);
}

static void large_numbers(void **state) {
    static const int64_t numbers[] = {0,
                                      1,
                                      LIMIT_TOKEN_SESSIONS - 1,
                                      LIMIT_TOKEN_SESSIONS,
                                      LIMIT_TOKEN_SESSIONS + 1,
                                      4 * LIMIT_TOKEN_SESSIONS + 1,
                                      (int64_t)1 << 58};
    TraceSession *other = numbered(7);
    for (unsigned i = 0; i < array_length(numbers); i++) {
        TraceSession *s = numbered(numbers[i]);
        takes_and_gives_back(s, other);
        takes_and_gives_back(other, s);
        mutex_lock(&trace_sessions_lock);
        trace_session_unlink(s);
        mutex_unlock(&trace_sessions_lock);
    }
}

int main(void) {
    unit_processes_init();
    dropped_install();
    const struct CMUnitTest tests[] = {unit(large_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
