/*
 * What trace sessions want of processes: who traces which, and with what flags.
 *
 * All trace state belongs to a session. A process holds a list of ProcessTrace, one for each session that traces it:
 * its own, read and written by its thread only. Others change it in two ways:
 *   - one process: trace_process sends a signal, and the process answers;
 *   - all, or those that exist: trace_everybody appends an order to the session's log and counts up `the_trace_epoch`
 *     (process/trace_point.h). A process applies the orders that are newer than what it has seen. So the cost does not
 *     depend on how many processes there are; but orders that all have taken up are void (trace/settle.h).
 * The logs, what a new process begins with (`fresh`), and the epoch are written under one lock of all sessions, and
 * read without it (trace/orders.h): a process that has seen the epoch has seen the orders of every session up to it.
 *
 * Which sessions there are is in trace/session_table.h, how they end in trace/session_end.h.
 * Source: erlang(3) trace/3; trace(3) of OTP 27.
 */
#ifndef VIV_TRACE_SESSION_H
#define VIV_TRACE_SESSION_H

#include "process/trace_point.h"
#include "trace/orders.h"
#include "trace/session_table.h"

/* What one kind of meter charges (trace/meter.h): the handle of the function's CallCost, 0: none; and since when. */
typedef struct {
    Word charged;
    int64_t since;
} Meter;

typedef struct ProcessTrace {
    struct ProcessTrace *next;
    struct TraceSession *session;
    uint32_t flags;
    Tracer tracer; /* TRACER_NOBODY: it is here for its meters only; one without flags has handed the last one on */
    Meter time, memory;
} ProcessTrace;

/* The trace control word: for programs to use as they like, in match specifications and by system_flag. */
extern _Atomic uint32_t trace_control_word;
void trace_sessions_init(void);

/* Of all of p's settings; those of a sensitive process, too. By its thread. */
uint32_t trace_flags_set(const Process *p);
/* p's settings, or whether it is sensitive, have changed: its flags follow. By its thread. */
void trace_flags_renew(Process *p);
/* p's settings in a session, NULL when that does not trace it. */
ProcessTrace *trace_find(const Process *p, const TraceSession *session);
/* The same for p's own thread; NULL when it is over, or who got the events is no more: the flags go then. */
ProcessTrace *trace_find_live(Process *p, const TraceSession *session);
/* Changes p's flags by its own thread, no lock held. False: another tracer that still lives has it, or the session is
 * over. */
bool trace_apply(Process *p, TraceSession *session, const TraceOrder *order);
/* p's settings lead to a tracer that is no more: no flag is left, only meters that run. */
void trace_stop(Process *p, ProcessTrace *trace);
/* They go. */
void trace_drop(Process *p, ProcessTrace *trace);

/* Asks `pid` to change its flags; request `id` of p is answered true or false. False: no such process. */
must_check bool trace_process(const Process *p, Term pid, TraceSession *session, const TraceOrder *order, uint64_t id);
/* The same without an answer: what a match program of `from` does. What all were told since `from` last took that up
 * holds for `pid` afterwards. False: no such process. */
bool trace_follow(const Process *from, Term pid, TraceSession *session, const TraceOrder *order);
/* All of that kind that exist. It holds for those that run as well once there has been thread progress. */
void trace_everybody(TraceSession *session, TracedKind kind, const TraceOrder *order);
/* Those that are made from now on. */
void trace_fresh(TraceSession *session, TracedKind kind, const TraceOrder *order);
/* What they get now: nothing when the tracer is a process that is no more. Good until the next quiescent point. */
TraceOrder trace_fresh_now(const TraceSession *session, TracedKind kind);
/* The session has just become over, under the lock: its orders are void, and every process drops what it has of it. */
void trace_settings_end(TraceSession *session);

#endif
