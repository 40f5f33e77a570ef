/*
 * Tracers in Erlang: {viv_tracer, Handle} as {Module, State} (lib/viv_tracer.erl; docs/TRACING.md).
 *
 * The handle is a magic reference to an ErlangTracer, which never changes: the match programs that answer for
 * enabled/3, enabled_call/3, ..., what they call the state, and a session, whose tracer is the process that calls
 * trace/5, ... . The session is there for its limit and its end only. To ask is to run a program on {Tag, State,
 * Tracee}; to tell is to send that process {viv_tracer, Function, Tag, Tracee, Term, Options}, if the session's limit
 * admits it. The time stamp among the options is the time of the event itself, in the place of its kind. When the
 * session is over, or no clause of a program has matched, the answer is `remove`.
 *
 * When the last reference goes the session ends. Who uses a handle that stands in a setting may do so until its next
 * quiescent point, as tracers are used (process/tracer.h): it is freed after thread progress.
 */
#ifndef VIV_TRACE_ERLANG_TRACER_H
#define VIV_TRACE_ERLANG_TRACER_H

#include "process/tracer.h"
#include "term/refc_binary.h"
#include "trace/session_table.h"

typedef struct ErlangTracer ErlangTracer;

/* Room for one with a count of the session, which has a limit, and a copy of the state. No program yet. */
ErlangTracer *erlang_tracer_create(TraceSession *session, Term guard, Term state);
/* The program that answers for Module:Name/3. False: there is no such callback, it has one already, or the
 * specification is not one whose results are `trace`, `discard` and `remove`. */
bool erlang_tracer_add(ErlangTracer *t, Term name, Term specification);
/* Has it one for enabled/3? */
bool erlang_tracer_is_whole(const ErlangTracer *t);
/* One of which no reference was made; its session does not end. */
void erlang_tracer_free(ErlangTracer *t);

/* A magic reference's object is a pointer to the tracer, and this its destructor. */
bool erlang_tracer_gone(RefcBinary *object);
/* NULL: it is no handle. */
ErlangTracer *erlang_tracer_of(Term handle);
Term erlang_tracer_guard(const ErlangTracer *t);
Term erlang_tracer_host(const ErlangTracer *t);

void erlang_tracer_install(void);

#endif
