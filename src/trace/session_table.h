/*
 * Which trace sessions there are, and how they end.
 *
 * The list of sessions is written under trace_sessions_lock; who reads it without the lock keeps what he found no
 * longer than to his next quiescent point, or takes a count of it. A session is counted by the list, by its handle
 * (bif/trace/trace_session.h), and by every setting that refers to it: a ProcessTrace, a BpEntry, an order under way.
 * It is freed with the last count.
 *
 * The end stops and waits for nobody:
 *
 *   1. trace_session_end, under the lock: is_over is set, the session leaves the list, its orders are void, the epoch
 *      counts up. From here on its handles lead nowhere, nothing is set in it, and no event that begins is told. The
 *      processes drop what they have of it when they next handle a signal or run.
 *   2. Thread progress: whoever was telling an event of it, or setting something, has come to an end.
 *   3. If it may have patterns: the code modification permission, taken for no process (replace/code_permission.h), and
 *      its part of all breakpoints goes in the sequence of every change of patterns (trace/pattern.h).
 *   4. Whoever asked for the end is told; the list's count goes.
 *
 * Frames that it pushed stay on the stacks until the functions return, and then tell nobody.
 */
#ifndef VIV_TRACE_SESSION_TABLE_H
#define VIV_TRACE_SESSION_TABLE_H

#include "trace/session.h"

/* A new session, with a count for the caller's handle, and one of the tracer. Numbers are never used again. */
TraceSession *trace_session_create(Term name, Tracer tracer, bool keeps_on_reload);
/* NULL: there is none, any more. The default session has no number here. */
TraceSession *trace_session_numbered(int64_t number);
/* The oldest first, the default session last. */
TraceSession *trace_sessions_first(void);
static inline TraceSession *trace_sessions_next(const TraceSession *s) {
    return atomic_load_explicit(&s->next, memory_order_acquire);
}

/* Any thread; the default session is not counted. */
void trace_session_keep(TraceSession *session);
void trace_session_release(TraceSession *session);

/* When it is over and nothing of it is left in functions, request `id` of `asker` is answered true (NON_VALUE: nobody
 * asks). False: it was over already, nobody is answered. The caller has a count. */
bool trace_session_end(TraceSession *session, Term asker, uint64_t id);
/* The handle has gone, and its count with it: the session ends. Any thread, whatever locks it holds. */
void trace_session_abandon(TraceSession *session);

#endif
