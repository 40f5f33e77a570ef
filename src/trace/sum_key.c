#include "trace/sum_key.h"

#include "process/registry.h"
#include "process/run_queue.h"
#include "sys/release.h"
#include "term/atom.h"
#include "trace/caller.h"
#include "trace/cut.h"
#include "trace/session.h"

bool sum_counts(const Process *p, const TraceSession *session, const CallSum *sum) {
    if (atomic_load_explicit(&sum->is_paused, memory_order_relaxed) || trace_session_is_over(session) ||
        (process_is_sensitive(p) && release_has(RELEASE_SENSITIVE_UNTRACED)))
        return false;
    if (!sum->form.traced_only)
        return true;
    const ProcessTrace *t = trace_find(p, session);
    return t != NULL && (t->flags & TRACE_CALL);
}

static Term name_of(const Process *p) {
    Term name = registry_name_of(p);
    return is_value(name) ? name : am_undefined;
}

static Term scheduler(void) {
    const RunQueue *rq = run_queue_self();
    return small_make(rq != NULL ? (SWord)rq->index + 1 : 0);
}

/* A key is kept as long as the sum is. */
static Term within_limit(const TraceSession *session, Term key, Area *area) {
    const LimitOptions *limit = session->limit != NULL ? limit_options(session->limit) : NULL;
    bool is_cut = limit != NULL && (limit->depth != 0 || limit->size != 0);
    return is_cut && !is_immediate(key) ? term_cut_by(limit, key, area) : key;
}

static Term part_of(SumPart part, const TraceSession *session, Process *p, const Mfa *mfa, const Term **expressions) {
    Area *area = process_area(p);
    switch (part) {
    case KEY_CALLER: return trace_caller(p);
    case KEY_PROCESS: return p->pid;
    case KEY_NAME: return name_of(p);
    case KEY_INITIAL_CALL:
        return area_tuple3(area, p->initial_module, p->initial_function, small_make((SWord)p->initial_arity));
    case KEY_SCHEDULER: return scheduler();
    case KEY_FUNCTION: return area_tuple3(area, mfa->module, mfa->function, small_make((SWord)mfa->arity));
    default: return within_limit(session, *(*expressions)++, area);
    }
}

bool sum_has_expressions(const CallSum *sum, Term result) {
    unsigned count = sum->form.expressions;
    return count == 0 || (is_value(result) && is_tuple_arity(result, count));
}

Term sum_key(const CallSum *sum, Process *p, const Mfa *mfa, Term result) {
    const SumForm *form = &sum->form;
    const Term *expressions = form->expressions != 0 ? tuple_elements(result) : NULL;
    Term parts[SUM_PARTS_MAX];
    for (unsigned i = 0; i < form->parts; i++)
        parts[i] = part_of(form->part[i], sum->session, p, mfa, &expressions);
    return form->is_list ? area_list(process_area(p), parts, form->parts) : form->parts > 0 ? parts[0] : NIL;
}

void sum_add_value(CallSum *sum, Term key, Term result) {
    if (sum->form.value == SUM_ONE) {
        sum_add(sum, key, 1);
        return;
    }
    Term value = tuple_elements(result)[tuple_arity(result) - 1];
    if (is_small(value))
        sum_add(sum, key, small_value(value));
    else
        sum_add_invalid(sum);
}
