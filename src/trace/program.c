#include "trace/program.h"

#include "alloc/alloc.h"
#include "term/atom.h"
#include "trace/action.h"

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

void program_run(const MatchProgram *program, ProgramRun *run, Term arguments) {
    run->message = am_true;
    run->return_trace = run->exception_trace = false;
    run->matched = true;
    if (program == NULL)
        return;
    MatchRun match;
    match_run_init(&match, program->spec, process_area(run->p), run->p->pid);
    match.action = trace_action;
    match.context = run;
    run->matched = is_value(match_run(&match, arguments));
    match_run_release(&match);
}
