/*
 * The natives of the module erl_tracer: how a process is a tracer module, for those who call it by hand. Its state is
 * the pid. Source: erl_tracer(3); answers of OTP 25.
 */
#include "bif_table.h"
#include "process/message.h"
#include "process/process_table.h"
#include "process/time_stamp.h"
#include "term/atom.h"
#include "term/map.h"
#include "trace/message.h"

Term erl_tracer_enabled_3(Process *p, const Term *a) {
    if (a[1] == a[2])
        return am_discard;
    if (tracer_is_alive(is_local_pid(a[1]) ? a[1] : NON_VALUE, a[2]))
        return am_trace;
    return a[0] == am_trace_status ? am_remove : am_discard;
}

static Term option(Term options, Term key) {
    const Term *value = is_flat_map(options) || is_hash_map(options) ? map_get(options, key) : NULL;
    return value != NULL ? *value : NON_VALUE;
}

#define ELEMENTS_MAX 8
static size_t elements_of(const Term *a, bool is_stamped, Term *elements) {
    const Term options[] = {am_extra, am_match_spec_result, am_scheduler_id};
    Term *e = elements;
    if (a[0] == am_seq_trace) {
        *e++ = am_seq_trace;
        *e++ = a[2];
        *e++ = a[3];
        return (size_t)(e - elements);
    }
    *e++ = is_stamped ? am_trace_ts : am_trace;
    *e++ = a[2];
    *e++ = a[0];
    *e++ = a[3];
    for (size_t i = 0; i < array_length(options); i++) {
        Term value = option(a[4], options[i]);
        if (is_value(value))
            *e++ = value;
    }
    return (size_t)(e - elements);
}

/* Of an unknown kind of time stamp nothing is told. */
Term erl_tracer_trace_5(Process *p, const Term *a) {
    Term elements[ELEMENTS_MAX], kind = option(a[4], am_timestamp);
    size_t count = elements_of(a, is_value(kind), elements);
    if (!is_local_pid(a[1]) || (is_value(kind) && stamp_named(kind) == STAMP_NONE))
        return am_ok;
    if (is_value(kind))
        elements[count++] = stamp_now(process_area(p), stamp_named(kind));
    Message *m = message_create(area_tuple(process_area(p), elements, count), NON_VALUE, NIL);
    if (!signal_send(a[1], &m->signal))
        message_free(m);
    return am_ok;
}
