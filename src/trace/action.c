#include "trace/action.h"

#include <unistd.h>

#include "code/location.h"
#include "process/dump.h"
#include "process/registry.h"
#include "process/seq_trace.h"
#include "process/stack_trace.h"
#include "sys/file.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/print.h"
#include "trace/caller.h"
#include "trace/flags.h"

/* A pid, or the name of a process; NON_VALUE otherwise. */
static Term named_process(Term t) {
    if (is_atom(t))
        t = registry_whereis(t);
    return is_value(t) && is_local_pid(t) ? t : NON_VALUE;
}

static uint32_t settable(Term name) { return is_atom(name) ? trace_flag(name) : 0; }

/* A session has its own tracer, and no other can be named there. */
static bool read_list(const TraceSession *s, Term list, uint32_t *flags, Tracer *tracer) {
    for (; is_list(list); list = list_tail(list)) {
        Term t = list_head(list);
        uint32_t flag = settable(t);
        *flags |= flag;
        if (flag != 0)
            continue;
        if (tracer_is_named(s->tracer) || !tracer_read_option(t, am_tracer, tracer))
            return false;
    }
    return is_nil(list);
}

static Tracer own_tracer(const ProgramRun *run) {
    const ProcessTrace *t = trace_find(run->p, run->session);
    return t != NULL && !tracer_is_named(run->session->tracer) ? t->tracer : run->session->tracer;
}

static uint32_t own_flags(const ProgramRun *run) {
    const ProcessTrace *t = trace_find(run->p, run->session);
    return t != NULL ? t->flags : 0;
}

static void give_order(ProgramRun *run, Term pid, const TraceOrder *order) {
    if (order->flags == 0 && !order->on)
        return;
    if (pid == run->p->pid)
        trace_apply(run->p, run->session, order);
    else
        trace_follow(run->p, pid, run->session, order);
}

/* Who has no tracer, and names none, gives another process none: its trace ends, whatever was asked for. */
static bool hands_on_nobody(const ProgramRun *run, Term pid, Tracer named) {
    return pid != run->p->pid && !tracer_is_named(named) && !tracer_is_named(own_tracer(run));
}

static void end_trace(ProgramRun *run, Term pid) {
    TraceOrder order = {.on = false, .replaces = true, .flags = trace_flag(am_all), .tracer = TRACER_UNNAMED};
    give_order(run, pid, &order);
}

static Term switch_flag(ProgramRun *run, bool on, const Term *a, unsigned count) {
    Term pid = count == 2 ? named_process(a[0]) : run->p->pid;
    TraceOrder order = {.on = on, .replaces = true, .flags = settable(a[count - 1])};
    order.tracer = on ? own_tracer(run) : TRACER_UNNAMED;
    if (!is_value(pid) || order.flags == 0)
        return NON_VALUE;
    if (hands_on_nobody(run, pid, TRACER_UNNAMED))
        end_trace(run, pid);
    else if (!on || tracer_is_named(order.tracer))
        give_order(run, pid, &order);
    return am_true;
}

static Term give_orders(ProgramRun *run, Term pid, const TraceOrder *off, const TraceOrder *on) {
    if (hands_on_nobody(run, pid, on->tracer)) {
        end_trace(run, pid);
        return am_true;
    }
    if (!tracer_is_named(on->tracer))
        return am_false;
    uint32_t before = own_flags(run);
    give_order(run, pid, off);
    give_order(run, pid, on);
    return bool_term(pid != run->p->pid || own_flags(run) != before);
}

static Term switch_lists(ProgramRun *run, const Term *a, unsigned count) {
    Term pid = count == 3 ? named_process(a[0]) : run->p->pid, result = NON_VALUE;
    TraceOrder off = {.on = false, .replaces = true, .tracer = TRACER_UNNAMED};
    TraceOrder on = {.on = true, .replaces = true, .tracer = TRACER_UNNAMED};
    Tracer named = TRACER_UNNAMED;
    const TraceSession *s = run->session;
    if (is_value(pid) && read_list(s, a[count - 2], &off.flags, &named) &&
        read_list(s, a[count - 1], &on.flags, &named)) {
        if (!tracer_is_named(named)) /* counted: the first order may take it away */
            named = tracer_keep(own_tracer(run));
        on.tracer = named;
        result = give_orders(run, pid, &off, &on);
    }
    tracer_drop(named);
    return result;
}

static Term set_seq_token(ProgramRun *run, Term component, Term value) {
    if (run->is_test) /* as stock: what the component is now */
        return seq_trace_info(run->p, component);
    return is_value(seq_trace_change(run->p, component, value)) ? am_true : NON_VALUE;
}

static Term control_word(void) { return small_make(atomic_load_explicit(&trace_control_word, memory_order_relaxed)); }

static Term set_control_word(const ProgramRun *run, Term word) {
    if (!is_small(word) || small_value(word) < 0 || small_value(word) > UINT32_MAX)
        return NON_VALUE;
    if (run->is_test)
        return control_word();
    return small_make(atomic_exchange(&trace_control_word, (uint32_t)small_value(word)));
}

/* What is neither true nor false is no error, but changes nothing. As on the stock runtime one whose trace the program
 * has ended before is silent, too: who traces it next hears of no calls. */
static Term set_silent(ProgramRun *run, Term how) {
    if ((how != am_true && how != am_false) || run->is_test)
        return am_true;
    TraceOrder order = {.on = how == am_true, .replaces = true, .flags = TRACE_SILENT};
    order.tracer = how == am_true ? own_tracer(run) : TRACER_UNNAMED;
    give_order(run, run->p->pid, &order);
    return am_true;
}

static Term caller_line(Process *p) {
    Area *area = process_area(p);
    CodePlace place;
    if (!trace_caller_place(p, &place))
        return am_undefined;
    const FunctionHeader *f = place.function;
    Term location = am_undefined;
    if (place.line != 0)
        location = area_tuple2(area, location_file(area, &place), small_make(place.line));
    return area_tuple4(area, f->module, f->function, small_make((SWord)f->arity), location);
}

static Term dump(Process *p) {
    TEXT(text);
    process_dump(&text, p, true);
    return binary_from_bytes(process_area(p), text.bytes, text.size);
}

static Term current_stacktrace(Process *p, size_t depth) {
    unsigned most = depth < STACKTRACE_DEPTH_MAX ? (unsigned)depth : STACKTRACE_DEPTH_MAX;
    return stacktrace_of_process(p, NULL, most, process_area(p));
}

static Term display(Term t) {
    TEXT(text);
    print_term(&text, t);
    text_byte(&text, '\n');
    file_write_lines(STDOUT_FILENO, text.bytes, text.size);
    return am_true;
}

static Term act(MatchRun *match, Term name, const Term *a, unsigned count) {
    ProgramRun *run = match->context;
    Process *p = run->p;
    switch (name) {
    case am_message: run->message = a[0]; return am_true;
    case am_return_trace: run->return_trace = true; return am_true;
    case am_exception_trace: run->exception_trace = true; return am_true;
    case am_caller: return run->is_test ? am_undefined : trace_caller(p);
    case am_caller_line: return run->is_test ? am_undefined : caller_line(p);
    case am_enable_trace: return switch_flag(run, true, a, count);
    case am_disable_trace: return switch_flag(run, false, a, count);
    case am_trace: return switch_lists(run, a, count);
    case am_silent: return set_silent(run, a[0]);
    case am_is_seq_trace: return bool_term(!is_nil(seq_trace_token(p)));
    case am_get_seq_token: return seq_trace_token_term(p, process_area(p));
    case am_set_seq_token: return set_seq_token(run, a[0], a[1]);
    case am_current_stacktrace: return current_stacktrace(p, count == 0 ? exception_depth : (size_t)small_value(a[0]));
    case am_process_dump: return dump(p);
    case am_display: return display(a[0]);
    case am_get_tcw: return control_word();
    case am_set_tcw: return set_control_word(run, a[0]);
    default: return NON_VALUE;
    }
}

void program_run(const MatchProgram *program, ProgramRun *run, Term arguments) {
    run->message = am_true;
    run->return_trace = run->exception_trace = false;
    run->matched = true;
    run->result = NON_VALUE;
    if (program == NULL)
        return;
    MatchRun match;
    match_run_init(&match, program->spec, process_area(run->p), run->p->pid);
    match.action = act;
    match.context = run;
    run->result = match_run(&match, arguments);
    run->matched = is_value(run->result);
    match_run_release(&match);
}
