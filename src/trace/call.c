/*
 * Calls that meet a breakpoint, and the returns and exceptions of those whose specification asked for them.
 * Source: erlang(3) trace/3 (call, return_to, return_from, exception_from); answers of OTP 25.
 */
#include "trace/call.h"

#include "heap/copy.h"
#include "process/place.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "term/bits.h"
#include "trace/action.h"
#include "trace/caller.h"
#include "trace/limit.h"
#include "trace/message.h"
#include "trace/meter.h"
#include "trace/session_table.h"
#include "trace/sum_key.h"

/* Functions of a module hand the match they are in the middle of to each other: as a term it is what is left of it. */
static Term seen(Area *area, Term argument) {
    return unlikely(is_match_context(argument)) ? match_context_rest(area, argument) : argument;
}

static Term list_of(Area *area, const Term *x, unsigned count) {
    Term list = NIL;
    for (unsigned i = count; i-- > 0;)
        list = area_cons(area, seen(area, x[i]), list);
    return list;
}

typedef struct {
    Process *p;
    const Mfa *mfa;
    Term arguments; /* a list, made when somebody first asks: NON_VALUE before */
    const Term *x;
    TraceFrames *frames;
    int64_t words; /* as meters of memory count: what tracing itself builds is not the function's */
} Call;

static Term arguments_of(Call *c) {
    if (!is_value(c->arguments))
        c->arguments = list_of(process_area(c->p), c->x, c->mfa->arity);
    return c->arguments;
}

static void add_frame(Call *c, const BpEntry *e, uint32_t what, Term tracer) {
    if (what == 0)
        return;
    const TraceFrame frame = {
        .module = c->mfa->module,
        .function = c->mfa->function,
        .what = trace_frame_what(e->session->number, (uint32_t)c->mfa->arity | what),
        .tracer = tracer,
    };
    trace_frames_add(c->frames, &frame);
}

static TellResult tell_call(Call *c, TraceSession *session, Term tracer, uint32_t flags, Term message) {
    Term last = flags & TRACE_ARITY ? small_make((SWord)c->mfa->arity) : arguments_of(c);
    TraceContent content = {
        .element = {am_call, area_tuple3(process_area(c->p), c->mfa->module, c->mfa->function, last)},
        .count = 2,
        .result = message == am_true ? NON_VALUE : message,
        .topic = TOPIC_CALL,
        .session = session,
    };
    return trace_tell(c->p, tracer, flags, &content);
}

static uint32_t wanted_frames(const ProgramRun *run) {
    return run->exception_trace ? FRAME_RETURN | FRAME_EXCEPTION : run->return_trace ? FRAME_RETURN : 0;
}

/* That are told: the call, and its end; an end by both ways is one. */
static unsigned events_of(const ProgramRun *run, uint32_t frames) {
    bool ends = (frames & (FRAME_RETURN | FRAME_EXCEPTION)) != 0, returns_to = (frames & FRAME_RETURN_TO) != 0;
    return (unsigned)(run->message != am_false) + ends + returns_to;
}

static bool tells_return_to(const TraceFrame *f, const TraceSession *s) {
    return trace_frame_session(f) == s->number && (trace_frame_wants(f) & FRAME_RETURN_TO);
}

/* Returns to the same place are told once. */
static bool will_tell_return(const Process *p, const BpEntry *e) {
    const Term *slot = p->heap.area.limit;
    while (slot < p->heap.end && is_trace_return(*slot)) {
        const TraceFrame *f = (const TraceFrame *)(slot + 1);
        if (tells_return_to(f, e->session))
            return true;
        slot += 1 + trace_frame_words(f);
    }
    return false;
}

/* Modules are asked for trace_status first. */
static TracerAnswer ask(const Process *p, Term tracer) {
    if (is_tracer_module(tracer) && !tracer_is_alive(tracer, p->pid))
        return TRACER_REMOVE;
    return trace_ask(p, tracer, TOPIC_CALL, am_call);
}

static bool is_wanted(Process *p, ProcessTrace *t) {
    TracerAnswer answer = ask(p, t->tracer.term);
    if (answer == TRACER_REMOVE)
        trace_stop(p, t);
    return answer == TRACER_TRACE;
}

/* What is refused counts for the pattern. */
static void count_dropped(const BpEntry *e) {
    if (e->dropped != NULL)
        call_count_add(e->dropped);
}

/* A call and its end. */
static bool is_admitted(const BpEntry *e, unsigned events) {
    TraceLimit *limit = e->session->limit;
    if (likely(limit == NULL) || limit_admits(limit, TOPIC_CALL, events))
        return true;
    count_dropped(e);
    return false;
}

/* Its frames are not pushed either, unless it is told. */
static bool tell_admitted(Call *c, const BpEntry *e, Term tracer, uint32_t flags, Term message, TellResult *result) {
    *result = tell_call(c, e->session, tracer, flags, message);
    if (*result == TELL_REFUSED)
        count_dropped(e);
    return *result == TELL_DONE;
}

/* What others call is nothing to the session, and not dropped either. */
static bool are_calls_traced(const Process *p, const TraceSession *s) {
    const ProcessTrace *t = trace_find(p, s);
    return t != NULL && (t->flags & TRACE_CALL) && !trace_session_is_over(s);
}

/* Of a process whose calls are traced. */
static void trace_call(Call *c, const BpEntry *e) {
    ProcessTrace *t = trace_find(c->p, e->session);
    if (!is_wanted(c->p, t))
        return;
    ProgramRun run = {.p = c->p, .session = e->session};
    uint32_t flags = t->flags;
    Term tracer = t->tracer.term; /* who hears of the call, whatever the program says; good until a quiescent point */
    program_run(e->program, &run, e->program != NULL ? arguments_of(c) : NIL);
    if (!run.matched)
        return;
    if (e->program != NULL) { /* it may have changed them; a call that ends the trace is told, in the plainest form */
        t = trace_find(c->p, e->session);
        flags = t != NULL ? t->flags : 0;
    }
    uint32_t frames = wanted_frames(&run);
    if (flags & TRACE_SILENT)
        return;
    if ((e->kinds & BP_LOCAL) && (flags & TRACE_RETURN_TO) && run.message != am_false && !will_tell_return(c->p, e))
        frames |= FRAME_RETURN_TO;
    if (!is_admitted(e, events_of(&run, frames)))
        return;
    TellResult result;
    if (run.message == am_false || tell_admitted(c, e, tracer, flags, run.message, &result))
        add_frame(c, e, frames, NIL);
    else if (result == TELL_NOBODY && t != NULL)
        trace_stop(c->p, t);
}

/* One that is no more is never asked again. */
static bool tracer_is_there(MetaTracer *meta, Term tracer, const Process *p) {
    if (is_nil(tracer) || tracer_is_alive(tracer, p->pid))
        return !is_nil(tracer);
    atomic_store_explicit(&meta->is_gone, true, memory_order_relaxed);
    return false;
}

/* Of a process that is not sensitive. */
static void trace_meta(Call *c, const BpEntry *e) {
    Term tracer = meta_tracer(e->meta).term;
    if (trace_session_is_over(e->session) || !tracer_is_there(e->meta, tracer, c->p) ||
        trace_ask(c->p, tracer, TOPIC_CALL, am_call) != TRACER_TRACE)
        return;
    ProgramRun run = {.p = c->p, .session = e->session};
    program_run(e->meta_program, &run, e->meta_program != NULL ? arguments_of(c) : NIL);
    if (!run.matched)
        return;
    uint32_t frames = wanted_frames(&run);
    TellResult result;
    if (!is_admitted(e, events_of(&run, frames)) ||
        (run.message != am_false && !tell_admitted(c, e, tracer, TRACE_TIMESTAMP, run.message, &result)))
        return;
    if (frames != 0)
        add_frame(c, e, frames | FRAME_META, is_pointer(tracer) ? term_copy(tracer, process_area(c->p)) : tracer);
}

/* If the session's limit leaves time for it. */
static inline void in_time(Call *c, const BpEntry *e, void (*trace)(Call *c, const BpEntry *e)) {
    TraceLimit *limit = e->session->limit;
    int64_t began;
    if (likely(limit == NULL)) {
        trace(c, e);
    } else if (limit_enter(limit, TOPIC_CALL, &began)) {
        trace(c, e);
        limit_leave(limit, began);
    } else {
        count_dropped(e);
    }
}

static void forgive(Call *c) {
    int64_t words = meter_words(c->p);
    if (unlikely(words != c->words))
        meter_forgive(c->p, words - c->words);
    c->words = words;
}

/* As on the stock runtime nothing is charged to a process whose tracer is no more. */
static void meter(Call *c, const BpEntry *e) {
    ProcessTrace *t = trace_find(c->p, e->session);
    if (t == NULL || !(t->flags & TRACE_CALL) || (t = trace_find_live(c->p, e->session)) == NULL)
        return;
    forgive(c);
    const Term *top = c->p->heap.area.limit;
    bool returns_traced = c->frames->count > 0 || (top < c->p->heap.end && is_trace_return(*top));
    meter_call(c->p, t, e, returns_traced, c->frames);
}

static TraceSession *live_session(int64_t number) {
    return number == trace_default_session.number ? &trace_default_session : trace_session_numbered(number);
}

static void begin_timing(Call *c, const BpEntry *e, Term key) {
    const TraceFrame frame = {
        .module = small_make((SWord)clock_monotonic()),
        .function = small_make((SWord)e->sum->number),
        .what = trace_frame_what(e->session->number, FRAME_SUM),
        .tracer = key,
    };
    trace_frames_add(c->frames, &frame);
}

static void sum_up(Call *c, const BpEntry *e) {
    const SumForm *form = &e->sum->form;
    if (!sum_counts(c->p, e->session, e->sum))
        return;
    ProgramRun run = {.p = c->p, .session = e->session};
    program_run(e->sum_program, &run, e->sum_program != NULL ? arguments_of(c) : NIL);
    if (!run.matched)
        return;
    if (e->sum->count != NULL) {
        call_count_add(e->sum->count);
        return;
    }
    if (!sum_has_expressions(e->sum, run.result)) {
        sum_add_invalid(e->sum);
        return;
    }
    Term key = sum_key(e->sum, c->p, c->mfa, run.result);
    if (form->value == SUM_TIME)
        begin_timing(c, e, key);
    else
        sum_add_value(e->sum, key, run.result);
}

/* The call returns, or an exception leaves it. */
static void end_timing(const TraceFrame *f) {
    const TraceSession *s = live_session(trace_frame_session(f));
    CallSum *sum = s != NULL ? sum_find(s, small_value(f->function)) : NULL;
    if (sum != NULL)
        sum_add(sum, f->tracer, clock_monotonic() - small_value(f->module));
}

/* The end of a call is told to the meta tracer first. */
static void swap_frames(TraceFrame *a, TraceFrame *b) {
    TraceFrame f = *a;
    *a = *b;
    *b = f;
}

static void tell_all(Process *p, const Term *x, const GenericBp *bp, const BpData *data, TraceFrames *frames) {
    Call c = {.p = p, .mfa = &bp->mfa, .arguments = NON_VALUE, .x = x, .frames = frames, .words = meter_words(p)};
    for (const BpEntry *e = data->entry; e < data->entry + data->count; e++) {
        if (e->count != NULL)
            call_count_call(e->count, p);
        unsigned before = frames->count;
        if ((e->kinds & (BP_LOCAL | BP_GLOBAL)) && (p->trace_flags & TRACE_CALL) && are_calls_traced(p, e->session))
            in_time(&c, e, trace_call);
        if ((e->kinds & BP_META) && !process_is_sensitive(p))
            in_time(&c, e, trace_meta);
        if (frames->count == before + 2)
            swap_frames(&frames->frames[before], &frames->frames[before + 1]);
        if ((e->kinds & (BP_TIME | BP_MEMORY)) && (p->trace_flags & TRACE_CALL))
            meter(&c, e);
        if (e->kinds & BP_SUM)
            sum_up(&c, e);
    }
    forgive(&c);
}

/* By the limit of the one session that traces p and has something here, which looks at nothing of the call before. */
static bool is_refused_at_once(const Process *p, const BpData *data) {
    const BpEntry *e = data->entry;
    const ProcessTrace *t = p->trace;
    if (data->count != 1 || e->session->limit == NULL || e->program != NULL || (e->kinds & ~(BP_LOCAL | BP_GLOBAL)))
        return false;
    if (t == NULL || t->session != e->session || (t->flags & TRACE_SILENT) || is_tracer_module(t->tracer.term) ||
        !(p->trace_flags & t->flags & TRACE_CALL) || trace_session_is_over(e->session) ||
        !limit_refuses_at_once(e->session->limit, TOPIC_CALL))
        return false;
    count_dropped(e);
    return true;
}

static bool call(Process *p, const Term *x, const GenericBp *bp, TraceFrames *frames) {
    const BpData *data = __atomic_load_n(&bp->data[bp_active()], __ATOMIC_ACQUIRE);
    if (data == NULL || is_refused_at_once(p, data))
        return false;
    tell_all(p, x, bp, data, frames);
    return true;
}

/* Who hears of a frame, and with what flags; NON_VALUE: nobody any more. Where the call was told its end is told, even
 * if the process has become silent since. `wanted`: the flag that it takes. */
static Term listener(const Process *p, const TraceFrame *f, uint32_t wanted, uint32_t *flags, TraceSession **session) {
    if (trace_frame_wants(f) & FRAME_META) {
        *flags = TRACE_TIMESTAMP;
        *session = live_session(trace_frame_session(f));
        return *session != NULL ? f->tracer : NON_VALUE;
    }
    for (const ProcessTrace *t = p->trace; t != NULL; t = t->next)
        if (t->session->number == trace_frame_session(f) && (t->flags & wanted) && !trace_session_is_over(t->session)) {
            *flags = t->flags;
            *session = t->session;
            return t->tracer.term;
        }
    return NON_VALUE;
}

static void tell_frame(Process *p, const TraceFrame *f, Term tag, Term value) {
    uint32_t flags;
    TraceSession *session;
    Term tracer = listener(p, f, TRACE_CALL, &flags, &session);
    if (!is_value(tracer))
        return;
    Term arity = small_make(trace_frame_wants(f) & 0xffff);
    TraceContent content = {.element = {tag, area_tuple3(process_area(p), f->module, f->function, arity), value},
                            .count = 3,
                            .result = NON_VALUE,
                            .topic = TOPIC_CALL,
                            .session = session};
    trace_tell(p, tracer, flags, &content);
}

static void tell_return_to(Process *p, const TraceFrame *f, const Word *to) {
    uint32_t flags;
    TraceSession *session;
    Term tracer = process_is_sensitive(p) ? NON_VALUE : listener(p, f, TRACE_RETURN_TO, &flags, &session);
    if (!is_value(tracer))
        return;
    CodePlace place;
    Term mfa = to != NULL && range_place(to, &place) ? place_mfa(process_area(p), &place) : am_undefined;
    TraceContent content = {
        .element = {am_return_to, mfa}, .count = 2, .result = NON_VALUE, .topic = TOPIC_CALL, .session = session};
    trace_tell(p, tracer, flags, &content);
}

static void stop_meter(Process *p, const TraceFrame *f, uint32_t kind) {
    ProcessTrace *t = p->trace;
    while (t != NULL && t->session->number != trace_frame_session(f))
        t = t->next;
    if (t == NULL)
        return;
    meter_return(p, t, kind, trace_frame_is_short_time(f) ? f->what : f->tracer);
    if (t->flags == 0 && !meter_runs(t))
        trace_drop(p, t);
}

static void returned(Process *p, const TraceFrame *f, Term value, const Word *to) {
    uint32_t what = trace_frame_wants(f);
    if (what & (FRAME_TIME | FRAME_MEMORY))
        stop_meter(p, f, what & (FRAME_TIME | FRAME_MEMORY));
    int64_t words = meter_words(p);
    if (what & FRAME_SUM)
        end_timing(f);
    if (what & FRAME_RETURN)
        tell_frame(p, f, am_return_from, value);
    if (what & FRAME_RETURN_TO)
        tell_return_to(p, f, to);
    meter_forgive(p, meter_words(p) - words);
}

static void raised(Process *p, const TraceFrame *f, Term class, Term value) {
    uint32_t what = trace_frame_wants(f);
    if ((what & FRAME_SUM) && !process_is_exiting(p)) /* a signal ends no call */
        end_timing(f);
    if (what & FRAME_EXCEPTION)
        tell_frame(p, f, am_exception_from, area_tuple2(process_area(p), class, value));
}

/* The frame of the call that returns to where the exception is caught; NULL when that is not told to the session. */
static const TraceFrame *frame_of(const Term *from, const Term *to, const TraceSession *s) {
    const TraceFrame *returning = NULL, *last = NULL;
    for (const Term *slot = from; slot < to; slot++) {
        if (is_trace_return(*slot)) {
            const TraceFrame *f = (const TraceFrame *)(slot + 1);
            if (tells_return_to(f, s))
                returning = f;
            slot += trace_frame_words(f);
        } else if (is_return_address(*slot)) {
            last = returning;
            returning = NULL;
        }
    }
    return returning != NULL ? returning : last;
}

/* Each session that waits for a return is told once. */
static void caught(Process *p, const Term *from, const Term *to, const Word *at) {
    for (const ProcessTrace *t = p->trace; t != NULL; t = t->next) {
        const TraceFrame *f = t->flags & TRACE_RETURN_TO ? frame_of(from, to, t->session) : NULL;
        if (f != NULL)
            tell_return_to(p, f, at);
    }
}

void trace_calls_install(void) {
    trace_points.call = call;
    trace_points.returned = returned;
    trace_points.raised = raised;
    trace_points.caught = caught;
}
