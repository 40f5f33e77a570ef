#include "trace/dropped.h"

#include "base/thread_progress.h"
#include "process/message.h"
#include "process/trace_point.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/map.h"

#define SAID_WORDS 40

static size_t token_bytes(Term token) { return (size_t)(small_value(token) & (((SWord)1 << LIMIT_TOKEN_BITS) - 1)); }

void limit_token_back(TraceSession *s, Term token) {
    if (is_value(token) && is_small(token))
        limit_give_back(s->limit, token_bytes(token));
}

/* What a message takes at most. */
#define MESSAGE_BYTES (sizeof(Message) + sizeof(Fragment))

Message *limited_message_begin(TraceSession *s, Area *area, size_t words, Term from) {
    size_t bytes = MESSAGE_BYTES + words * sizeof(Term);
    if (s->limit == NULL)
        return message_begin(area, words, from);
    if (!limit_admits_bytes(s->limit, bytes))
        return NULL;
    Message *m = message_begin(area, words, from);
    m->token = limit_token(s, bytes);
    return m;
}

void limited_message_end(Message *m, Area *area, Term term) {
    message_end(m, area, term);
    if (is_nil(m->token))
        m->token = TOKEN_OF_RUNTIME;
}

void limited_message_free(TraceSession *s, Message *m) {
    if (m == NULL)
        return;
    limit_token_back(s, m->token);
    message_free(m);
}

/* NULL: it is over. */
static TraceSession *session_of(Term token) {
    SWord number = small_value(token) >> LIMIT_TOKEN_BITS;
    TraceSession *s = trace_sessions_first();
    while (s != NULL && (s->limit == NULL || limit_token_number(s) != number))
        s = trace_sessions_next(s);
    return s;
}

static void taken(Term token) {
    thread_progress_enter();
    TraceSession *s = session_of(token);
    if (s != NULL)
        limit_token_back(s, token);
    thread_progress_leave();
}

void dropped_install(void) { trace_points.taken = taken; }

/* False: it is not there any more, or may not be built. */
static bool send_to_place(TraceSession *s, Term from, Term (*make)(Area *area, const TraceSession *s, const void *of),
                          const void *of, bool is_paid) {
    Area area;
    size_t bytes = MESSAGE_BYTES + SAID_WORDS * sizeof(Term);
    if (is_paid && !limit_admits_bytes(s->limit, bytes))
        return false;
    Message *m = message_begin(&area, SAID_WORDS, NON_VALUE);
    Term told = make(&area, s, of);
    message_end(m, &area, told);
    Term token = is_paid ? limit_token(s, bytes) : NIL;
    m->token = is_nil(token) ? TOKEN_OF_RUNTIME : token;
    if (is_local_pid(s->tracer.term) && signal_send_beside(s->tracer.term, &m->signal))
        return true;
    bool is_there = is_local_port(s->tracer.term) && tracer_command_port(from, s->tracer.term, m->term);
    limit_token_back(s, token);
    message_free(m);
    return is_there;
}

/* The module's own functions decide what is told: this is asked for as any event is. */
static bool tell_module(TraceSession *s, Term tag, Term term) {
    _Alignas(16) Term words[SAID_WORDS];
    Area area = {.top = words, .limit = words + SAID_WORDS};
    TracerEvent e = {.tag = tag,
                     .tracee = trace_session_weak(&area, s),
                     .term = term,
                     .extra = NON_VALUE,
                     .result = NON_VALUE,
                     .timestamp = NON_VALUE,
                     .scheduler = NON_VALUE};
    tracer_tell(s->tracer.term, TOPIC_ANY, &e);
    return true;
}

/* As {trace_dropped} has them: the scheduler, and the map. */
typedef struct {
    unsigned scheduler;
    uint64_t counts[REFUSALS];
} Dropped;

static Term counts_map(Area *area, const Dropped *d) {
    Term pairs[2 * REFUSALS] = {am_events, integer_from_uint64(area, d->counts[REFUSED_BY_EVENTS]),
                                am_bytes,  integer_from_uint64(area, d->counts[REFUSED_BY_BYTES]),
                                am_share,  integer_from_uint64(area, d->counts[REFUSED_BY_SHARE])};
    return map_from_pairs(area, pairs, REFUSALS);
}

static Term dropped_term(Area *area, const TraceSession *s, const void *of) {
    const Dropped *d = of;
    return area_tuple4(area, am_trace_dropped, trace_session_weak(area, s), small_make(d->scheduler),
                       counts_map(area, d));
}

static bool say(TraceSession *s, const Dropped *d, Term from, bool is_paid) {
    if (!is_tracer_module(s->tracer.term))
        return send_to_place(s, from, dropped_term, d, is_paid);
    _Alignas(16) Term words[SAID_WORDS];
    Area area = {.top = words, .limit = words + SAID_WORDS};
    Term told = area_tuple2(&area, small_make(d->scheduler), counts_map(&area, d));
    return tell_module(s, am_trace_dropped, told);
}

static void say_of(TraceSession *s, unsigned bucket, Term from, bool is_paid) {
    bool is_scheduler = bucket + 1 < limit_buckets(s->limit);
    Dropped d = {.scheduler = is_scheduler ? bucket + 1 : 0};
    if (limit_take_unsaid(s->limit, bucket, d.counts) && !say(s, &d, from, is_paid))
        limit_put_unsaid(s->limit, bucket, d.counts);
}

void dropped_say(TraceSession *s, unsigned bucket, Term from) { say_of(s, bucket, from, true); }

static void say_all(TraceSession *s, bool is_paid) {
    for (unsigned i = 0; i < limit_buckets(s->limit); i++)
        if (limit_has_unsaid(s->limit, i))
            say_of(s, i, am_undefined, is_paid);
}

void dropped_say_all(TraceSession *s) { say_all(s, true); }

static Term ended_term(Area *area, const TraceSession *s, const void *reason) {
    return area_tuple3(area, am_trace_ended, trace_session_weak(area, s), *(const Term *)reason);
}

/* There is no later: a message for each scheduler, though no bytes may be left. */
void dropped_say_ended(TraceSession *s, Term reason) {
    say_all(s, false);
    if (is_tracer_module(s->tracer.term))
        tell_module(s, am_trace_ended, reason);
    else
        (void)send_to_place(s, am_undefined, ended_term, &reason, false);
}
