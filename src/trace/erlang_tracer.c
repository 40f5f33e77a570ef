#include "trace/erlang_tracer.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "heap/kept.h"
#include "match/match_spec.h"
#include "process/message.h"
#include "process/time_stamp.h"
#include "process/tracer_functions.h"
#include "term/atom.h"
#include "term/map.h"
#include "term/node.h"
#include "trace/cut.h"
#include "trace/dropped.h"
#include "trace/session_end.h"

struct ErlangTracer {
    ProgressNode progress;
    TraceSession *session;
    Term guard;
    Kept state;
    MatchSpec *program[TOPIC_COUNT]; /* NULL: that of TOPIC_ANY */
    _Atomic bool has_failed;         /* a clause was missing: the one thing that changes, once */
};

ErlangTracer *erlang_tracer_create(TraceSession *session, Term guard, Term state) {
    ErlangTracer *t = mem_calloc(ALLOC_TRACE, sizeof *t);
    trace_session_keep(session);
    t->session = session;
    t->guard = guard;
    t->state = kept_make(state);
    return t;
}

void erlang_tracer_free(ErlangTracer *t) {
    for (unsigned topic = 0; topic < TOPIC_COUNT; topic++)
        if (t->program[topic] != NULL)
            match_spec_free(t->program[topic]);
    kept_release(&t->state);
    trace_session_release(t->session);
    mem_free(ALLOC_TRACE, t);
}

static void nobody_has_it(ProgressNode *node) {
    ErlangTracer *t = container_of(node, ErlangTracer, progress);
    trace_session_end(t->session, am_destroyed, NON_VALUE, 0);
    erlang_tracer_free(t);
}

/* Anywhere, in a collection too. */
bool erlang_tracer_gone(RefcBinary *object) {
    ErlangTracer *t = *(ErlangTracer **)object->bytes;
    t->progress.run = nobody_has_it;
    thread_progress_later(&t->progress);
    return true;
}

ErlangTracer *erlang_tracer_of(Term handle) {
    if (!is_magic_ref(handle) || magic_ref_binary(handle)->destructor != erlang_tracer_gone)
        return NULL;
    return *(ErlangTracer **)magic_ref_binary(handle)->bytes;
}

Term erlang_tracer_guard(const ErlangTracer *t) { return t->guard; }
Term erlang_tracer_host(const ErlangTracer *t) { return t->session->tracer.term; }
bool erlang_tracer_is_whole(const ErlangTracer *t) { return t->program[TOPIC_ANY] != NULL; }

/* [Answer] */
static bool is_answer(Term body) {
    if (!is_list(body) || !is_nil(list_tail(body)))
        return false;
    Term answer = list_head(body);
    return answer == am_trace || answer == am_discard || answer == am_remove;
}

static bool only_answers(Term specification) {
    for (; is_list(specification); specification = list_tail(specification)) {
        Term clause = list_head(specification);
        if (!is_tuple_arity(clause, 3) || !is_answer(tuple_elements(clause)[2]))
            return false;
    }
    return true;
}

bool erlang_tracer_add(ErlangTracer *t, Term name, Term specification) {
    TracerTopic topic;
    if (!tracer_topic_named(name, TRACER_ENABLED, &topic) || t->program[topic] != NULL || !only_answers(specification))
        return false;
    return match_spec_compile(specification, MATCH_TABLE, &t->program[topic], NULL) == MATCH_GOOD;
}

static bool is_over(const ErlangTracer *t) {
    return trace_session_is_over(t->session) || atomic_load_explicit(&t->has_failed, memory_order_relaxed);
}

/* The first time the host is told: it ends then. */
static void fail(ErlangTracer *t, TracerTopic topic, Term tag, Term tracee) {
    if (atomic_exchange(&t->has_failed, true))
        return;
    TracerTopic answering = t->program[topic] != NULL ? topic : TOPIC_ANY;
    _Alignas(16) const Term words[] = {header_make(KIND_TUPLE, 5),
                                       am_viv_tracer,
                                       am_no_clause,
                                       tracer_function_name(answering, TRACER_ENABLED),
                                       tag,
                                       tracee};
    Message *m = message_create(boxed_make(words), NON_VALUE, TOKEN_OF_RUNTIME);
    if (!signal_send_beside(t->session->tracer.term, &m->signal))
        message_free(m);
}

static Term ask(Term handle, TracerTopic topic, Term tag, Term tracee) {
    ErlangTracer *t = erlang_tracer_of(handle);
    if (t == NULL || is_over(t))
        return am_remove;
    const MatchSpec *program = t->program[topic] != NULL ? t->program[topic] : t->program[TOPIC_ANY];
    _Alignas(16) const Term question[] = {header_make(KIND_TUPLE, 3), tag, kept_term(&t->state), tracee};
    MatchRun run;
    Area nothing = {0}; /* the results are atoms */
    match_run_init(&run, program, &nothing, tracee);
    Term answer = match_run(&run, boxed_make(question));
    match_run_release(&run);
    if (is_value(answer))
        return answer;
    fail(t, topic, tag, tracee);
    return am_remove;
}

/* What is told, in the order of the message; NON_VALUE: an option that there is not. */
typedef struct {
    const ErlangTracer *t;
    TracerTopic topic;
    Term tag, tracee, term, extra, result, scheduler;
    StampKind stamp;
} Told;

#define OPTIONS_MAX 4
#define OPTIONS_WORDS 16
static Term options(const Told *told, Area *area, const CopyPhase *phase) {
    const struct {
        Term key, value;
    } all[] = {{am_extra, told->extra}, {am_match_spec_result, told->result}, {am_scheduler_id, told->scheduler}};
    Term pairs[2 * OPTIONS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < array_length(all); i++)
        if (is_value(all[i].value)) {
            pairs[2 * count] = all[i].key;
            pairs[2 * count++ + 1] = term_copy_in(all[i].value, area, phase);
        }
    if (told->stamp != STAMP_NONE) {
        pairs[2 * count] = am_timestamp;
        pairs[2 * count++ + 1] = stamp_now(area, told->stamp);
    }
    return map_from_pairs(area, pairs, count);
}

static size_t size_of(Term t, const CopyPhase *phase) { return is_value(t) ? term_flat_size_in(t, phase) : 0; }

#define ELEMENTS 6
static Message *build(const Told *told, const CopyPhase *phase) {
    Area area;
    size_t words = 1 + ELEMENTS + OPTIONS_WORDS + STAMP_WORDS + size_of(told->tracee, phase) +
                   size_of(told->term, phase) + size_of(told->extra, phase) + size_of(told->result, phase);
    Message *m = limited_message_begin(told->t->session, &area, words, NON_VALUE);
    if (m == NULL)
        return NULL;
    Term *e = area_alloc(&area, 1 + ELEMENTS);
    e[0] = header_make(KIND_TUPLE, ELEMENTS);
    e[1] = am_viv_tracer;
    e[2] = tracer_function_name(told->topic, TRACER_TELL);
    e[3] = told->tag;
    e[4] = term_copy_in(told->tracee, &area, phase);
    e[5] = term_copy_in(told->term, &area, phase);
    e[6] = options(told, &area, phase);
    limited_message_end(m, &area, boxed_make(e));
    return m;
}
#define FREE(m) limited_message_free(told->t->session, m)

static void send(const Told *told) {
    Message *m = made_in_phase(phase, build(told, &phase), FREE);
    race_window("an event for a tracer in Erlang is built, and not sent");
    if (m == NULL)
        limited_message_refused(told->t->session, told->topic);
    else if (!signal_send_beside(told->t->session->tracer.term, &m->signal))
        FREE(m);
}

static void send_cut(const Told *told, const LimitOptions *limit) {
    Told cut = *told;
    Term elements[] = {told->tag, told->term, told->extra};
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    event_cut(limit, told->topic, elements, is_value(told->extra) ? 3 : 2, &cut.result, &fa.area);
    cut.term = elements[1];
    cut.extra = elements[2];
    send(&cut);
    fragment_area_drop(&fa);
}

static void tell_admitted(const Told *told) {
    TraceSession *s = told->t->session;
    unsigned bucket = limit_bucket_here(s->limit);
    if (limit_has_unsaid(s->limit, bucket))
        dropped_say(s, bucket, am_undefined);
    const LimitOptions *limit = limit_options(s->limit);
    if (limit->depth != 0 || limit->size != 0)
        send_cut(told, limit);
    else
        send(told);
}

static void tell(Term handle, TracerTopic topic, const TracerEvent *e) {
    ErlangTracer *t = erlang_tracer_of(handle);
    int64_t began;
    if (t == NULL || is_over(t) || !limit_enter(t->session->limit, topic, &began))
        return;
    const Told told = {.t = t,
                       .topic = topic,
                       .tag = e->tag,
                       .tracee = e->tracee,
                       .term = e->term,
                       .extra = e->extra,
                       .result = e->result,
                       .scheduler = e->scheduler,
                       .stamp = stamp_named(e->timestamp)};
    if (limit_admits(t->session->limit, topic, 1))
        tell_admitted(&told);
    limit_leave(t->session->limit, began);
}

static bool is_there(Term handle) { return erlang_tracer_of(handle) != NULL; }

void erlang_tracer_install(void) {
    erlang_tracers.is_there = is_there;
    erlang_tracers.ask = ask;
    erlang_tracers.tell = tell;
}
