/*
 * What comes from another node to a process: a message, an exit signal, the news that whom it monitors is gone.
 *
 * A small payload is read at once. A larger one goes to the process as the bytes that came, and is read when it handles
 * its signals: decoding is long work on the reader's behalf, and holds up neither the connection nor those who get
 * something else by it. What turns out to be malformed ends the connection (distribution/end.h).
 */
#ifndef VIV_DISTRIBUTION_DELIVER_H
#define VIV_DISTRIBUTION_DELIVER_H

#include "distribution/channel.h"
#include "process/message.h"

/* A term as bytes. */
typedef struct {
    RefcBinary *buffer; /* that holds them; the caller's */
    const uint8_t *bytes;
    size_t size;
    bool has_version;
    const Term *atoms;
    size_t atom_count;
} Encoded;

/* The terms are immediate, or the caller's. */
typedef struct {
    SignalKind kind; /* MESSAGE, ALIAS_MESSAGE, EXIT, EXIT_LINKED or DOWN */
    Term to;
    Term token;  /* of a sequential trace; NIL; of what is short also TOKEN_OF_RUNTIME */
    Term object; /* of an exit: from whom; of DOWN: who is gone, a pid or {Name, Node} */
    Term node;    /* from which it comes */
    uint64_t key; /* of an alias or a monitor; of EXIT_LINKED as link_broken_by has it */
    bool is_alias_reference; /* of DOWN */
} Delivery;

/* By the channel's thread. False: the payload is malformed. To nobody is no failure. */
must_check bool deliver(Channel *c, const Delivery *d, const Encoded *payload);
/* The same where the payload is a term. */
void deliver_term(const Delivery *d, Term payload);

/* Reads all of it. NON_VALUE: it is malformed. */
Term encoded_read(const Encoded *e, FragmentArea *to, size_t *used);

#endif
