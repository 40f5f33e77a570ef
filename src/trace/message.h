/*
 * Telling a tracer: trace messages, {trace, Pid, Tag, ...} and {trace_ts, Pid, Tag, ..., Timestamp}, sent to a process,
 * or a call of a module's function.
 *
 * A message is built outside of the traced process's heap, on its own thread, and pushed at once: so the messages
 * about one process reach a tracer in the order in which things happened. Source: erlang(3) trace/3, erl_tracer(3).
 */
#ifndef VIV_TRACE_MESSAGE_H
#define VIV_TRACE_MESSAGE_H

#include "trace/session.h"

#define TRACE_ARGUMENTS_MAX 5

/* The elements behind the pid: the tag, and what belongs to it; then what a match specification said, NON_VALUE when
 * there is nothing. Messages get copies. `make`, unless it is NULL, builds the last element in the message itself, of
 * what stands in its place, which is immediate: in at most so many words. */
typedef struct {
    Term element[TRACE_ARGUMENTS_MAX];
    unsigned count;
    Term (*make)(const Process *about, Term from, Area *area);
    size_t made_words;
    Term result;
    TracerTopic topic;
    TraceSession *session;
} TraceContent;

/* Asks whether the event is to be told, before anything is built for it. A process as tracer, by its pid, hears of all
 * but itself; TRACER_REMOVE is left to trace_tell then. */
static inline TracerAnswer trace_ask(const Process *about, Term tracer, TracerTopic topic, Term tag) {
    if (is_tracer_module(tracer))
        return tracer_ask(tracer, topic, tag, about->pid);
    return is_tracer_place(tracer) && tracer != about->pid ? TRACER_TRACE : TRACER_DISCARD;
}
/* TELL_REFUSED: the session's limit does not allow it (trace/limit.h); TELL_NOBODY: the tracer is no more. */
typedef enum { TELL_DONE, TELL_REFUSED, TELL_NOBODY } TellResult;
/* `flags` say which time stamp, and whether the scheduler's number comes with it. */
TellResult trace_tell(Process *about, Term tracer, uint32_t flags, const TraceContent *content);

#endif
