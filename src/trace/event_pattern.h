/*
 * Patterns for messages: which of the messages that a traced process sends, or receives, a session is told of.
 *
 * Each session has one for `send` and one for `'receive'`: a match program that is run on [Receiver, Message], or on
 * [Node, Sender, Message]. It is one word of the session that whoever sets it exchanges, and that running processes
 * read as they go; the program before it is let go after thread progress. So nobody waits, and nobody is stopped.
 * A program of its own can also make a process silent, and one that is silent tells no message that a program was
 * asked about (but tells those of a pattern that has none), as on the stock runtime.
 *
 * Sender is a pid; `undefined` for what the runtime itself sends, with Node `clock_service` for timers and `system`
 * for the rest. Source: erlang(3) trace_pattern/3; answers of OTP 25.
 */
#ifndef VIV_TRACE_EVENT_PATTERN_H
#define VIV_TRACE_EVENT_PATTERN_H

#include "trace/message.h"
#include "trace/program.h"

typedef enum { MESSAGES_SENT, MESSAGES_RECEIVED } MessageKind;

/* `program`: the caller's reference, which it gives away; NULL: all messages. `none`: no message at all. */
void event_pattern_set(TraceSession *session, MessageKind kind, MatchProgram *program, bool none);
/* What was set, good until the caller's next quiescent point. */
const MatchProgram *event_pattern_now(const TraceSession *session, MessageKind kind, bool *none);
/* Is there one, be it for no message at all? */
static inline bool event_pattern_is_set(const TraceSession *session, MessageKind kind) {
    return atomic_load_explicit(&session->message_programs[kind], memory_order_relaxed) != NULL;
}
/* Is it told? What a program wants to be told with it is its result. The program may change p's flags, and end its
 * trace. `other`: the receiver as it was named, or the sender (Message.from). Builds in p's area. */
bool event_pattern_passes(Process *p, TraceSession *session, MessageKind kind, Term message, Term other,
                          TraceContent *content);

#endif
