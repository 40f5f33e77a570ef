#include "trace/program.h"

#include "alloc/alloc.h"
#include "base/thread_progress.h"

MatchVerdict program_create(Term source, MatchDialect dialect, MatchProgram **program) {
    MatchSpec *spec;
    MatchVerdict verdict = match_spec_compile(source, dialect, &spec, NULL);
    *program = NULL;
    if (verdict != MATCH_GOOD)
        return verdict;
    *program = mem_calloc(ALLOC_TRACE, sizeof **program);
    atomic_init(&(*program)->references, 1);
    (*program)->spec = spec;
    return MATCH_GOOD;
}

void program_drop(MatchProgram *program) {
    if (program == NULL || atomic_fetch_sub_explicit(&program->references, 1, memory_order_acq_rel) > 1)
        return;
    match_spec_free(program->spec);
    mem_free(ALLOC_TRACE, program);
}

MatchProgram program_of_nothing;

typedef struct {
    ProgressNode progress;
    MatchProgram *program;
} Dropped;

static void drop_now(ProgressNode *node) {
    Dropped *d = container_of(node, Dropped, progress);
    program_drop(d->program);
    mem_free(ALLOC_TRACE, d);
}

void program_drop_later(MatchProgram *program) {
    if (program == NULL || program == &program_of_nothing)
        return;
    Dropped *d = mem_alloc(ALLOC_TRACE, sizeof *d);
    *d = (Dropped){.progress.run = drop_now, .program = program};
    thread_progress_later(&d->progress);
}
