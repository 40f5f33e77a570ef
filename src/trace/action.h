/*
 * Running match programs (trace/program.h), with the actions of match specifications that trace: {message, M},
 * {return_trace}, {silent, B}, ...
 */
#ifndef VIV_TRACE_ACTION_H
#define VIV_TRACE_ACTION_H

#include "trace/program.h"
#include "trace/session.h"

/* A call that a program is run on, and what came of it. */
typedef struct {
    Process *p;
    TraceSession *session;
    bool is_test; /* of match_spec_test/3: token, control word and silence stay as they are, and nobody called */
    bool matched;
    bool return_trace, exception_trace;
    Term result;  /* what the program gives, in p's area; of no program NON_VALUE */
    Term message; /* what {message, M} said; true: a plain message, false: none */
} ProgramRun;

/* Runs it on the list of arguments. NULL matches everything. Builds in p's area. */
void program_run(const MatchProgram *program, ProgramRun *run, Term arguments);

#endif
