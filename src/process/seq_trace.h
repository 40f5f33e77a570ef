/*
 * The sequential trace token: {Flags, Label, Serial, From, Previous, Epoch}, or NIL. A process that has one puts it on
 * what it sends; who receives a message takes over the message's token, or loses its own. Serial counts the sends:
 * `seq_clock` is the process's count, `seq_last` the serial of what it received last. Programs see the low 60 bits of a
 * serial, with their sign, and two are compared without one: on the stock runtime serials are small integers. Source:
 * kernel's seq_trace(3); answers of OTP 25.
 *
 * All tokens, wherever they are, are void at once when the epoch counts up (seq_trace_reset_all): each tells in which
 * it was made. So do the counts of a process (`seq_epoch`). Who asks for a token gets NIL for one that is void;
 * programs never see the epoch.
 *
 * What the token's flags name (send, receive, print) is told to the system tracer, one for all, by a message like
 * {seq_trace, Label, {send, {Previous, Serial}, From, To, Message}}, with a time behind when a flag asks for it. A
 * process tells nothing while it is the tracer itself. A tracer module gets the label in the place of the tracee. The
 * tracer (process/tracer.h) is one word that anyone may read and set; what is replaced is dropped, so that a reader can
 * use what it found until its next quiescent point.
 */
#ifndef VIV_PROCESS_SEQ_TRACE_H
#define VIV_PROCESS_SEQ_TRACE_H

#include "process/process.h"
#include "process/tracer.h"

enum {
    SEQ_FLAGS,
    SEQ_LABEL,
    SEQ_SERIAL,
    SEQ_FROM,
    SEQ_PREVIOUS,
    SEQ_SEEN_ELEMENTS,
    SEQ_EPOCH = SEQ_SEEN_ELEMENTS,
    SEQ_ELEMENTS
};

/* The token that p has, by its thread; NIL: none that holds. */
Term seq_trace_token_slow(Process *p);
static inline Term seq_trace_token(Process *p) {
    return likely(is_nil(p->seq_trace_token)) ? NIL : seq_trace_token_slow(p);
}
/* As programs see it. */
Term seq_trace_token_term(Process *p, Area *area);
/* Before anybody can see the child: it begins with a copy of the parent's token. */
void seq_trace_inherit(Process *child, const Process *parent, Term token);

/* The same of one that another node has asked for: with a token that lies outside of any heap. */
void seq_trace_begin(Process *child, Term token);
/* Between nodes a token has no epoch: without it, of one that holds; and with that of now. Built in the area. */
#define SEQ_TOKEN_WORDS (1 + SEQ_ELEMENTS)
Term seq_trace_token_without_epoch(Term token, Area *area);
Term seq_trace_token_with_epoch(Term token, Area *area);

/* One that goes between nodes, with the flags and the label of this. */
Term seq_trace_token_at(Term token, uint64_t previous, uint64_t serial, Term from, Area *area);

/* p's token, which it has, with a new serial; the tracer itself does not count. */
Term seq_trace_count(Process *p);
/* What a message sent now carries; counted and told. */
Term seq_trace_send_slow(Process *p, Term to, Term message);
static inline Term seq_trace_send(Process *p, Term to, Term message) {
    return likely(is_nil(p->seq_trace_token)) ? NIL : seq_trace_send_slow(p, to, message);
}
/* Of a term that is one. */
uint64_t seq_trace_serial(Term t);
/* A message with this token was received, by the process or by its timer. A small is no token of a sequence:
 * trace_points.taken. */
void seq_trace_receive(Process *p, Term token, Term message);
/* Its bits in the element SEQ_FLAGS. */
enum { SEQ_SEND = 1, SEQ_RECEIVE = 2, SEQ_PRINT = 4, SEQ_TIMESTAMP = 8, SEQ_STRICT_TIMESTAMP = 16, SEQ_MONOTONIC = 32 };
/* Tells the tracer, if there is one, it is not p, p is not sensitive, and the token's flags say so. `kind` is one of
 * the first three. p, which may be another's, is who does it; of the exit signal of a link, who gets it. */
void seq_trace_tell(const Process *p, Term token, int kind, Term to, Term message);
/* The same of who is nobody's thread's to look into: a pid, or the name of this node, where there is no process. */
void seq_trace_tell_of(Term who, Term token, int kind, Term to, Term message);
/* As a term that is built in the area when it has to be. am_false: none, or it has ended. */
Term seq_trace_tracer(Area *area);
/* Takes over the caller's count. TRACER_NOBODY: none. */
void seq_trace_set_tracer(Tracer tracer);
/* No token holds any more, of any process or message, and all counts begin anew. */
void seq_trace_reset_all(void);
/* The token with one element changed; made first when there is none. */
void seq_trace_set(Process *p, unsigned element, Term value);
/* seq_trace:set_token/2: gives the value before; NON_VALUE: no such component, or no value of it. */
Term seq_trace_change(Process *p, Term component, Term value);
/* seq_trace:get_token/1, but for the whole token: {Component, Value}, or [] when there is none to have it; NON_VALUE:
 * no such component. */
Term seq_trace_info(Process *p, Term component);
/* Its bit, 0 when it names no flag; those of p's token, 0 when there is none. */
SWord seq_trace_flag(Term name);
SWord seq_trace_flags(Process *p);
static inline Term seq_trace_element(const Process *p, unsigned element) {
    return tuple_elements(p->seq_trace_token)[element];
}

#endif
