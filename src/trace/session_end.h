/*
 * How trace sessions end.
 *
 * The end stops and waits for nobody:
 *
 *   1. trace_session_end, under the lock: is_over is set, the session leaves the list, its orders are void, the epoch
 *      counts up. From here on its handles lead nowhere, nothing is set in it, and no event that begins is told. The
 *      processes drop what they have of it when they next handle a signal or run.
 *   2. Thread progress: whoever was telling an event of it, or setting something, has come to an end.
 *   3. Nothing more can be told or dropped. A session that limits itself has its last word (trace/dropped.h), and
 *      whoever asked for the end is answered, however many breakpoints there are.
 *   4. If it may have patterns: the code modification permission, taken for no process (replace/code_permission.h), and
 *      its part of all breakpoints goes in the sequence of every change of patterns (trace/pattern.h). Whoever wants
 *      the permission waits for that. Then the list's count goes.
 *
 * Frames that it pushed stay on the stacks until the functions return, and then tell nobody.
 */
#ifndef VIV_TRACE_SESSION_END_H
#define VIV_TRACE_SESSION_END_H

#include "trace/session_table.h"

/* When it is over and nobody tells of it any more, request `id` of `asker` is answered true (NON_VALUE: nobody
 * asks). False: it was over already, nobody is answered. The caller has a count. `reason`: what a tracer is told of a
 * session that limits itself. */
bool trace_session_end(TraceSession *session, Term reason, Term asker, uint64_t id);
/* The handle has gone, and its count with it: the session ends. Any thread, whatever locks it holds. */
void trace_session_abandon(TraceSession *session);

#endif
