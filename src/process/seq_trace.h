/*
 * The sequential trace token: {Flags, Label, Serial, From, Previous}, or NIL. A process that has one puts it on what it
 * sends; who receives a message takes over the message's token, or loses its own. Serial counts the sends: `seq_clock`
 * is the process's count, `seq_last` the serial of what it received last. Source: kernel's seq_trace(3).
 */
#ifndef VIV_PROCESS_SEQ_TRACE_H
#define VIV_PROCESS_SEQ_TRACE_H

#include "process/process.h"

enum { SEQ_FLAGS, SEQ_LABEL, SEQ_SERIAL, SEQ_FROM, SEQ_PREVIOUS, SEQ_ELEMENTS };

/* What a message sent now carries; counts it. */
Term seq_trace_send_slow(Process *p);
static inline Term seq_trace_send(Process *p) {
    return likely(is_nil(p->seq_trace_token)) ? NIL : seq_trace_send_slow(p);
}
/* A message with this token was received. */
void seq_trace_receive(Process *p, Term token);
/* The token with one element changed; made first when there is none. */
void seq_trace_set(Process *p, unsigned element, Term value);
static inline Term seq_trace_element(const Process *p, unsigned element) {
    return tuple_elements(p->seq_trace_token)[element];
}

#endif
