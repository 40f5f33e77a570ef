#include "trace/event_pattern.h"

#include "alloc/alloc.h"
#include "term/atom.h"
#include "term/node.h"

/* In the place of a program: nothing is told. */
static MatchProgram nothing;

const MatchProgram *event_pattern_now(const TraceSession *s, MessageKind kind, bool *none) {
    const MatchProgram *program = atomic_load_explicit(&s->message_programs[kind], memory_order_acquire);
    *none = program == &nothing;
    return *none ? NULL : program;
}

typedef struct {
    ProgressNode progress;
    MatchProgram *program;
} Dropped;

static void drop_now(ProgressNode *node) {
    Dropped *d = container_of(node, Dropped, progress);
    program_drop(d->program);
    mem_free(ALLOC_TRACE, d);
}

void event_pattern_set(TraceSession *s, MessageKind kind, MatchProgram *program, bool none) {
    MatchProgram *before = atomic_exchange(&s->message_programs[kind], none ? &nothing : program);
    if (before == NULL || before == &nothing)
        return;
    Dropped *d = mem_alloc(ALLOC_TRACE, sizeof *d);
    *d = (Dropped){.progress.run = drop_now, .program = before};
    thread_progress_later(&d->progress);
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
    bool has_sender = is_value(other) && is_pid(other);
    Term node = has_sender ? ident_node_name(other) : is_value(other) ? other : am_system;
    return list_in(cells, (Term[]){node, has_sender ? other : am_undefined, message}, 3);
}

/* The list is not on a heap: a message in a fragment of its own is not the heap's to refer to. */
bool event_pattern_passes(Process *p, TraceSession *session, MessageKind kind, Term message, Term other,
                          TraceContent *content) {
    const MatchProgram *program = atomic_load_explicit(&session->message_programs[kind], memory_order_acquire);
    if (likely(program == NULL))
        return true;
    if (program == &nothing)
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
