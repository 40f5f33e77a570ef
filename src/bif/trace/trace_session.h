/*
 * What the functions on tracing share: the session that an argument names, and which sessions trace something.
 *
 * To Erlang a session is {Strong, Weak}: Strong is a magic reference that keeps it alive, Weak is {Name, Number}. Weak
 * alone names it as well, as long as it lives. The default session has no name that could be used.
 * Source: trace(3) of OTP 27; which arguments are refused, and how, is that of OTP 27.3.
 */
#ifndef VIV_BIF_TRACE_TRACE_SESSION_H
#define VIV_BIF_TRACE_TRACE_SESSION_H

#include "process/process.h"
#include "trace/event_pattern.h"
#include "trace/pattern.h"
#include "trace/session_end.h"
#include "trace/session_table.h"

/* NULL: it names none that is not over. Good until the caller's next quiescent point. */
TraceSession *trace_session_of(Term handle);
/* badarg, as for a handle that leads to no session. */
Term trace_session_badarg(Process *p);

/* The breakpoints of a function: of its code, and of its export entry (for one in C they are the same). NULL: none. */
typedef struct {
    const GenericBp *code, *entry;
} TracedFunction;

/* Lists of weak handles, oldest first, in p's area: of those that trace p; that function; processes to come; code to be
 * loaded (by the holder of the code modification permission); messages, with whatever pattern; all. */
Term trace_sessions_of_process(Process *p, Area *area);
Term trace_sessions_of_function(Process *p, const TracedFunction *function);
Term trace_sessions_of_fresh(Process *p, TracedKind kind);
Term trace_sessions_of_on_load(Process *p);
Term trace_sessions_of_messages(Process *p, MessageKind kind);
Term trace_sessions_all(Process *p);

#endif
