/*
 * Match programs: compiled match specifications of the trace dialect, shared by breakpoints.
 *
 * Counted: each BpEntry that uses one holds a reference; a program never changes. Any thread may run it.
 */
#ifndef VIV_TRACE_PROGRAM_H
#define VIV_TRACE_PROGRAM_H

#include "heap/heap.h"
#include "match/match_spec.h"
#include "trace/session.h"

typedef struct MatchProgram {
    _Atomic size_t references;
    MatchSpec *spec;
} MatchProgram;

/* *program is NULL unless it is a good one of that trace dialect. */
MatchVerdict program_create(Term source, MatchDialect dialect, MatchProgram **program);
static inline MatchProgram *program_keep(MatchProgram *program) {
    if (program != NULL)
        atomic_fetch_add_explicit(&program->references, 1, memory_order_relaxed);
    return program;
}
void program_drop(MatchProgram *program); /* NULL is none */

/* A call that a program is run on, and what came of it. */
typedef struct {
    Process *p;
    TraceSession *session;
    bool is_test; /* of match_spec_test/3: token, control word and silence stay as they are, and nobody called */
    bool matched;
    bool return_trace, exception_trace;
    Term message; /* what {message, M} said; true: a plain message, false: none */
} ProgramRun;

/* Runs it on the list of arguments. NULL matches everything. Builds in p's area. */
void program_run(const MatchProgram *program, ProgramRun *run, Term arguments);

#endif
