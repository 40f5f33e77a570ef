/*
 * Who sends, and by what he knows his answer: from OTP 26 on prim_inet writes a reference, in the external format,
 * before the data, with its size in two bytes; the answer has it as its last element.
 */
#ifndef VIV_INET_SENDER_H
#define VIV_INET_SENDER_H

#include "inet/inet.h"

typedef struct {
    Term pid;           /* NON_VALUE: nobody */
    uint8_t *reference; /* NULL: none */
    size_t size;
} InetSender;
#define INET_SENDER_NONE ((InetSender){NON_VALUE, NULL, 0})

/* The first bytes, so many of which there are, are taken away. */
void inet_take_bytes(ErlIOVec *v, void *bytes, size_t size);
/* The caller; his reference is taken from the front of the data. False: it is not all there. */
must_check bool inet_sender_take(Inet *d, ErlIOVec *v, InetSender *sender);
/* {inet_reply, Port, ok | {error, Reason}}, with the reference if there is one. *sender is nobody then. */
void inet_tell_reply(Inet *d, InetSender *sender, Term result);

#endif
