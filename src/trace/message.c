#include "trace/message.h"

#include "heap/copy.h"
#include "heap/literal.h"
#include "process/message.h"
#include "process/reference.h"
#include "process/run_queue.h"
#include "process/timer.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "term/integer.h"

#define STAMP_FLAGS                                                                                                    \
    (TRACE_TIMESTAMP | TRACE_MONOTONIC_TIMESTAMP | TRACE_STRICT_MONOTONIC_TIMESTAMP | TRACE_CPU_TIMESTAMP)
#define STAMP_WORDS 16 /* more than any time stamp takes */

static size_t words_of(const TraceContent *c) {
    size_t words = 0;
    for (unsigned i = 0; i < c->count; i++)
        if (is_pointer(c->element[i]) && !is_literal(c->element[i]))
            words += term_flat_size(c->element[i]);
    return words;
}

static Term wall_clock(Area *area, int64_t us) {
    return area_tuple3(area, small_make(us / 1000000000000), small_make(us / 1000000 % 1000000),
                       small_make(us % 1000000));
}

static Term stamp(Area *area, uint32_t flags) {
    if (flags & TRACE_TIMESTAMP)
        return wall_clock(area, now_microseconds());
    if (flags & TRACE_CPU_TIMESTAMP)
        return wall_clock(area, clock_cpu() / 1000);
    Term now = integer_from_int64(area, monotonic_time());
    if (flags & TRACE_MONOTONIC_TIMESTAMP)
        return now;
    return area_tuple2(area, now, integer_from_int64(area, unique_integer_next_monotonic()));
}

static Term scheduler_number(void) {
    const RunQueue *rq = run_queue_self();
    return small_make(rq != NULL ? (SWord)rq->index + 1 : 0);
}

bool trace_message_send(const Process *about, Term tracer, uint32_t flags, const TraceContent *content) {
    Area area;
    bool stamped = (flags & STAMP_FLAGS) != 0;
    Fragment *f = message_area_begin(&area, words_of(content) + STAMP_WORDS + TRACE_ARGUMENTS_MAX + 5);
    Term elements[TRACE_ARGUMENTS_MAX + 4] = {stamped ? am_trace_ts : am_trace, about->pid};
    unsigned n = 2;
    for (unsigned i = 0; i < content->count; i++) {
        Term t = content->element[i];
        elements[n++] = term_needs_copy(t) ? term_copy(t, &area) : t;
    }
    if (flags & TRACE_SCHEDULER_ID)
        elements[n++] = scheduler_number();
    if (stamped)
        elements[n++] = stamp(&area, flags);
    Term *tuple = area_alloc(&area, 1 + n);
    tuple[0] = header_make(KIND_TUPLE, n);
    for (unsigned i = 0; i < n; i++)
        tuple[1 + i] = elements[i];
    message_area_end(&area, f);
    Message *m = message_create_with(boxed_make(tuple), f, about->pid);
    if (signal_send(tracer, &m->signal))
        return true;
    message_free(m);
    return false;
}
