/*
 * Match programs: compiled match specifications of the trace dialect, shared by breakpoints.
 *
 * Counted: each BpEntry that uses one holds a reference; a program never changes. Any thread may run it
 * (trace/action.h).
 */
#ifndef VIV_TRACE_PROGRAM_H
#define VIV_TRACE_PROGRAM_H

#include <stdatomic.h>

#include "match/match_spec.h"

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
/* When nobody reads it any more who found it without a lock. */
void program_drop_later(MatchProgram *program);
/* In the place of a program for messages: nothing is told. Not counted. */
extern MatchProgram program_of_nothing;

#endif
