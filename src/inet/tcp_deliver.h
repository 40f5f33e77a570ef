/*
 * Packets out of the buffer, to who waits for them: each is one message. Bytes of a packet that takes most of the
 * buffer stay where they are, and the buffer is shared; others are copied.
 */
#ifndef VIV_INET_TCP_DELIVER_H
#define VIV_INET_TCP_DELIVER_H

#include "inet/tcp.h"

/* Somebody waits, or the socket is active. */
bool tcp_is_wanted(const Tcp *t);
/* As many as are wanted and there. Then *total is how many bytes must be in the buffer before it is worth while to ask
 * again; 0: that can not be said. am_ok, or the name of an error. */
Term tcp_deliver(Tcp *t, size_t *total);

#endif
