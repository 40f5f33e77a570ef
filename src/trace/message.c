#include "trace/message.h"

#include "heap/copy.h"
#include "heap/literal.h"
#include "process/message.h"
#include "process/run_queue.h"
#include "process/time_stamp.h"
#include "term/atom.h"

static size_t words_of(const TraceContent *c, const CopyPhase *phase) {
    size_t words = c->made_words + (is_value(c->result) ? term_flat_size_in(c->result, phase) : 0);
    for (unsigned i = 0; i < c->count; i++)
        words += term_flat_size_in(c->element[i], phase);
    return words;
}

/* In the order in which one goes before another. */
static StampKind kind_of_stamp(uint32_t flags) {
    return flags & TRACE_TIMESTAMP                    ? stamp_of_timestamp()
           : flags & TRACE_STRICT_MONOTONIC_TIMESTAMP ? STAMP_STRICT_MONOTONIC
           : flags & TRACE_MONOTONIC_TIMESTAMP        ? STAMP_MONOTONIC
                                                      : STAMP_NONE;
}

static Term scheduler_number(void) {
    const RunQueue *rq = run_queue_self();
    return small_make(rq != NULL ? (SWord)rq->index + 1 : 0);
}

static Message *build(const Process *about, uint32_t flags, const TraceContent *content, const CopyPhase *phase) {
    Area area;
    StampKind stamp = kind_of_stamp(flags);
    bool stamped = stamp != STAMP_NONE;
    size_t elements = 2 + content->count + is_value(content->result) + ((flags & TRACE_SCHEDULER_ID) != 0) + stamped;
    size_t words = 1 + elements + words_of(content, phase) + (stamped ? STAMP_WORDS : 0);
    Message *m = message_begin(&area, words, about->pid);
    Term *tuple = area_alloc(&area, 1 + elements), *e = tuple;
    *e++ = header_make(KIND_TUPLE, elements);
    *e++ = stamped ? am_trace_ts : am_trace;
    *e++ = about->pid;
    for (unsigned i = 0; i < content->count; i++)
        *e++ = term_copy_in(content->element[i], &area, phase);
    if (content->make != NULL)
        e[-1] = content->make(about, e[-1], &area);
    if (is_value(content->result))
        *e++ = term_copy_in(content->result, &area, phase);
    if (flags & TRACE_SCHEDULER_ID)
        *e++ = scheduler_number();
    if (stamped)
        *e++ = stamp_now(&area, stamp);
    message_end(m, &area, boxed_make(tuple));
    m->token = TOKEN_OF_RUNTIME;
    return m;
}

static Message *build_message(const Process *about, uint32_t flags, const TraceContent *content) {
    return made_in_phase(phase, build(about, flags, content, &phase), message_free);
}

static bool command_port(const Process *about, Term port, Message *m) {
    bool is_there = tracer_command_port(about->pid, port, m->term);
    message_free(m);
    return is_there;
}

static bool send_message(const Process *about, Term tracer, uint32_t flags, const TraceContent *content) {
    Message *m = build_message(about, flags, content);
    if (is_local_port(tracer))
        return command_port(about, tracer, m);
    if (signal_send_beside(tracer, &m->signal))
        return true;
    message_free(m);
    return false;
}

/* What happens in the process's own code has the process as its `self`; the rest happens to it. */
static Process *self_of(Process *p, TracerTopic topic) {
    return p->body != NULL || topic == TOPIC_PROCS || topic == TOPIC_RECEIVE ? NULL : p;
}

static void call_module_with(Process *about, Term tracer, uint32_t flags, const TraceContent *c) {
    TracerEvent e = {
        .tag = c->element[0],
        .tracee = about->pid,
        .term = c->element[1],
        .extra = c->count > 2 ? c->element[2] : NON_VALUE,
        .result = c->result,
        .timestamp = stamp_name(kind_of_stamp(flags)),
        .scheduler = flags & TRACE_SCHEDULER_ID ? scheduler_number() : NON_VALUE,
        .self = self_of(about, c->topic),
    };
    tracer_tell(tracer, c->topic, &e);
}

static void call_module(Process *about, Term tracer, uint32_t flags, const TraceContent *c) {
    if (c->make == NULL) {
        call_module_with(about, tracer, flags, c);
        return;
    }
    FragmentArea fa;
    TraceContent made = *c;
    fragment_area_init(&fa, c->made_words);
    made.element[c->count - 1] = c->make(about, c->element[c->count - 1], &fa.area);
    call_module_with(about, tracer, flags, &made);
    fragment_area_drop(&fa);
}

bool trace_tell(Process *about, Term tracer, uint32_t flags, const TraceContent *content) {
    if (!is_tracer_module(tracer))
        return send_message(about, tracer, flags, content);
    call_module(about, tracer, flags, content);
    return true;
}
