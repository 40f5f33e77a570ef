#include "trace/event_pattern.h"

#include "term/atom.h"
#include "term/node.h"
#include "trace/action.h"

const MatchProgram *event_pattern_now(const TraceSession *s, MessageKind kind, bool *none) {
    const MatchProgram *program = atomic_load_explicit(&s->message_programs[kind], memory_order_acquire);
    *none = program == &program_of_nothing;
    return *none ? NULL : program;
}

void event_pattern_set(TraceSession *s, MessageKind kind, MatchProgram *program, bool none) {
    program_drop_later(atomic_exchange(&s->message_programs[kind], none ? &program_of_nothing : program));
}

static Term list_in(Term *cells, const Term *elements, unsigned count) {
    Term list = NIL;
    for (unsigned i = count; i-- > 0; cells += 2) {
        cells[0] = elements[i];
        cells[1] = list;
        list = list_make(cells);
    }
    return list;
}

static Term arguments_of(MessageKind kind, Term message, Term other, Term *cells) {
    if (kind == MESSAGES_SENT)
        return list_in(cells, (Term[]){other, message}, 2);
    bool has_node = is_value(other) && is_pid(other), has_sender = has_node && is_local_pid(other);
    Term node = has_node ? ident_node_name(other) : is_value(other) ? other : am_system;
    return list_in(cells, (Term[]){node, has_sender ? other : am_undefined, message}, 3);
}

/* The list is not on a heap: a message in a fragment of its own is not the heap's to refer to. */
bool event_pattern_passes(Process *p, TraceSession *session, MessageKind kind, Term message, Term other,
                          TraceContent *content) {
    const MatchProgram *program = atomic_load_explicit(&session->message_programs[kind], memory_order_acquire);
    if (likely(program == NULL))
        return true;
    if (program == &program_of_nothing)
        return false;
    _Alignas(16) Term cells[6];
    ProgramRun run = {.p = p, .session = session};
    program_run(program, &run, arguments_of(kind, message, other, cells));
    const ProcessTrace *t = trace_find(p, session);
    if (!run.matched || run.message == am_false || (t != NULL && (t->flags & TRACE_SILENT)))
        return false;
    if (run.message != am_true)
        content->result = run.message;
    return true;
}
