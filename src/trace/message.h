/*
 * Trace messages: {trace, Pid, Tag, ...} and {trace_ts, Pid, Tag, ..., Timestamp}, sent to a tracer.
 *
 * The message is built outside of the traced process's heap, on its own thread, and pushed at once: so the messages
 * about one process reach a tracer in the order in which things happened. Source: erlang(3) trace/3.
 */
#ifndef VIV_TRACE_MESSAGE_H
#define VIV_TRACE_MESSAGE_H

#include "trace/session.h"

#define TRACE_ARGUMENTS_MAX 5

/* The elements behind the pid: the tag, and what belongs to it. All are copied. */
typedef struct {
    Term element[TRACE_ARGUMENTS_MAX];
    unsigned count;
} TraceContent;

/* `flags` say which time stamp, and whether the scheduler's number comes with it. False: the tracer is no more. */
must_check bool trace_message_send(const Process *about, Term tracer, uint32_t flags, const TraceContent *content);

#endif
