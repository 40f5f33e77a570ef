/*
 * Messages: a signal with a term, and what the term points into.
 *
 * Small terms are built in the same block as the message and are copied to the heap when a receive first looks at the
 * message; larger ones are built in a Fragment of their own, which becomes part of the heap then. A message belongs to
 * its maker until it is pushed, then to the receiver; message_free releases all of it.
 */
#ifndef VIV_PROCESS_MESSAGE_H
#define VIV_PROCESS_MESSAGE_H

#include "heap/kept.h"
#include "heap/literal_copy.h"
#include "process/process.h"
#include "process/signal.h"

typedef struct Message {
    Signal signal; /* must be first; signal.next is the next message once it is in the queue */
    Term term;
    Term token;        /* seq_trace token, NIL when none */
    Term from;         /* sender's pid, am_clock_service of timers, the name of the node that it comes from, or
                        * NON_VALUE: the system */
    Fragment *data;    /* owns what `term` and `token` point into; NULL when immediate, literal or inline */
    union {
        struct {
            uint64_t key;      /* alias messages: the alias's reference, until it is in the queue */
            OffHeap *off_heap; /* of the inline words */
        };
        struct { /* once it is in the heap: in the list of those */
            struct Message *heap_next, **heap_place;
        };
    };
    bool is_in_heap;      /* moved in: term and token are roots */
    bool has_no_literals; /* term and token refer to none: who copied them has seen that */
    Term words[];         /* signal.detail of them */
} Message;

#define MESSAGE_INLINE_WORDS 32

/* What the runtime itself sends has this token: who receives it keeps his own. */
#define TOKEN_OF_RUNTIME NON_VALUE
/* A copy of `term`. `from` may be NON_VALUE. This and all that copy here may be called in an open section, which then
 * ends at once (heap/copy.h). */
Message *message_create(Term term, Term from, Term token);
/* One whose term is built in place: `words` at most in *area, then message_end with the term, which may refer to what
 * was built, and to literals. Until then it is nobody else's. */
Message *message_begin(Area *area, size_t words, Term from);
void message_end(Message *m, Area *area, Term term);
/* p's message to itself, which is not pushed (signal_append_own): what `term` points to stays where it is. */
Message *message_create_own(Process *p, Term term);
/* `term` is immediate, or points into `data` (which the message takes over). */
Message *message_create_with(Term term, Fragment *data, Term from);
void message_free(Message *m);
/* Drops a signal that could not be delivered, or that is left over: frees what it owns. Messages do own something. */
void signal_free(Signal *signal);
/* By pid; dropped when there is no such process. */
void signal_send_or_drop(Term pid, Signal *signal);
/* Takes a copy of `token`; the message has none yet, and is not inline. */
void message_add_token(Message *m, Term token);
/* Copies *term into a new fragment and points it there; NULL when there is nothing to copy. It may refer to literals:
 * for what is pushed at once and handled by taking it over only (process/request.c). Others keep a Kept
 * (heap/kept.h). */
Fragment *message_copy_sent(Term *term);

/* A message that is not pushed at once: a timer, a question or a native library keeps it until then. As a Kept
 * (heap/kept.h) it refers to no literals, and only kept_message_make makes one. */
typedef struct {
    Message *message; /* NULL: none */
} KeptMessage;
#define KEPT_MESSAGE_NONE ((KeptMessage){NULL})
/* `token` is NIL or TOKEN_OF_RUNTIME. */
KeptMessage kept_message_make(Term term, Term from, Term token);
static inline bool kept_message_is(const KeptMessage *k) { return k->message != NULL; }
/* Either leaves none, and may be called when there is none. Sending: any thread that may look pids up; to a pid, or to
 * nobody (NON_VALUE). */
void kept_message_send(KeptMessage *k, Term to);
void kept_message_free(KeptMessage *k);
/* Of a message that is a tuple, if there is one: the element becomes an immediate term. */
void kept_message_set_element(KeptMessage *k, size_t position, Term immediate);
/* An area that builds `words` words in a new fragment; message_area_end closes it. */
Fragment *message_area_begin(Area *area, size_t words);
void message_area_end(Area *area, Fragment *fragment);
/* Words of it that lie outside of the heap. p->message_words is their sum over p's queue: it belongs to p's owner, as
 * the queue does, and is written by who puts a message there and by those below that change where one of it lies. */
static inline size_t message_words(const Message *m) {
    size_t words = m->signal.detail;
    for (const Fragment *f = m->data; unlikely(f != NULL); f = f->next)
        words += f->used;
    return words;
}
/* Those that count as the heap's: nobody has looked at them yet, and message_queue_data says on_heap. By the owner. */
static inline size_t message_words_beside(const Process *p) {
    return p->flags & FLAG_OFF_HEAP_MESSAGES ? 0 : p->message_words;
}
/* Of one in p's queue: its words are in a fragment from then on, that can join a heap without moving. */
void message_leave_block(Process *p, Message *m);
/* Moves term and token of one in p's queue into p's heap, unless they are there; nothing collects. They are roots from
 * then on. */
void message_move_in(Process *p, Message *m);
/* Of one in p's queue: does it refer to these literals? As literal_refers. */
bool message_refers(const Message *m, const LiteralSearch *search);
/* Of one in p's queue that is not in its heap: what it holds becomes a copy without literals. */
void message_leave_literals(Process *p, Message *m);
/* As message_move_in, and the term is a root in any case. */
void message_force_in(Process *p, Message *m);
/* One that has left the queue is a root no more. */
static inline void message_leave_heap(Process *p, Message *m) {
    if (!m->is_in_heap)
        return;
    *m->heap_place = m->heap_next;
    if (m->heap_next)
        m->heap_next->heap_place = m->heap_place;
    p->messages_in_heap--;
}
/* Of long work, for each message that a walk over a queue comes to: they lie one here, one there. */
#define MESSAGE_UNITS_TO_LOOK 20
/* Bytes that it takes. */
size_t message_bytes(const Message *m);

#endif
