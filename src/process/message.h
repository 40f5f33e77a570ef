/*
 * Messages: a signal with a term, and what the term points into.
 *
 * Small terms are built in the same block as the message and are copied to the heap when the message is received; larger
 * ones are built in a Fragment of their own, which becomes part of the heap. A message belongs to its maker until it is
 * pushed, then to the receiver; message_free releases all of it.
 */
#ifndef VIV_PROCESS_MESSAGE_H
#define VIV_PROCESS_MESSAGE_H

#include "process/process.h"
#include "process/signal.h"

typedef struct Message {
    Signal signal; /* must be first; signal.next is the next message once it is in the queue */
    Term term;
    Term token;        /* seq_trace token, NIL when none */
    Term from;         /* sender's pid, or NON_VALUE */
    Fragment *data;    /* owns what `term` and `token` point into; NULL when immediate, literal or inline */
    uint64_t key;      /* alias messages: the alias's reference */
    OffHeap *off_heap; /* of the inline words */
    Term words[];      /* signal.detail of them */
} Message;

#define MESSAGE_INLINE_WORDS 32

/* A copy of `term`. `from` may be NON_VALUE. */
Message *message_create(Term term, Term from, Term token);
/* `term` is immediate, or points into `data` (which the message takes over). */
Message *message_create_with(Term term, Fragment *data, Term from);
void message_free(Message *m);
/* Moves the term into p's heap and frees the message; nothing collects. Returns the term. */
Term message_unpack(Process *p, Message *m);
/* Bytes that it takes. */
size_t message_bytes(const Message *m);

#endif
