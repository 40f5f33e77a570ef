/*
 * What a session that limits itself (trace/limit.h) tells its tracer beside events, and what messages on their way owe
 * it.
 *
 * {trace_dropped, Session, Scheduler, #{events, bytes, share}} and {trace_ended, Session, Reason} go to the session's
 * tracer: a process as a message, a port as bytes, a module as a call of trace/5. Any thread that may look at shared
 * structures; nothing here collects.
 *
 * A message that counts as bytes of a limit has a small for a token: what there is room for of the session's number,
 * and the bytes. Who receives it gives them back (trace_points.taken); a session that is over needs none. Of two that
 * live at once, with so many others begun between them, the older one gets what either is given back.
 */
#ifndef VIV_TRACE_DROPPED_H
#define VIV_TRACE_DROPPED_H

#include "trace/limit.h"
#include "trace/session_table.h"

/* Of one bucket, or of all. What cannot be said now is said later. `from`: whose thread it is, or am_undefined. */
void dropped_say(TraceSession *session, unsigned bucket, Term from);
void dropped_say_all(TraceSession *session);
/* The session's last word, by whoever ends it. */
void dropped_say_ended(TraceSession *session, Term reason);

/* Events are smaller: so are blocks of memory that one takes. */
#define LIMIT_TOKEN_BITS 32
#define LIMIT_TOKEN_SESSIONS ((SWord)1 << (SMALL_BITS - 1 - LIMIT_TOKEN_BITS))
static inline SWord limit_token_number(const TraceSession *s) { return (SWord)s->number % LIMIT_TOKEN_SESSIONS; }
static inline Term limit_token(const TraceSession *s, size_t bytes) {
    SWord number = limit_token_number(s);
    return limit_options(s->limit)->bytes != 0 ? small_make(number << LIMIT_TOKEN_BITS | (SWord)bytes) : NIL;
}
void limit_token_back(TraceSession *session, Term token);
/* A message that is built in place for the tracer (message_begin of process/message.h), and is paid for if the session
 * has a limit. NULL: so much is not to wait for the tracer. Who builds in a phase (heap/copy.h) may have to do it once
 * more: limited_message_refused counts it, when the phase is over. */
struct Message *limited_message_begin(TraceSession *session, Area *area, size_t words, Term from);
static inline void limited_message_refused(const TraceSession *s, TracerTopic topic) {
    limit_refuse_bytes(s->limit, topic);
}
void limited_message_end(struct Message *m, Area *area, Term term);
/* It is not sent. NULL is none. */
void limited_message_free(TraceSession *session, struct Message *m);
void dropped_install(void);

#endif
