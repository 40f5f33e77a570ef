/*
 * What comes: read, taken apart into packets, and given to who waits for it, or to the owner of an active socket.
 */
#ifndef VIV_INET_TCP_RECEIVE_H
#define VIV_INET_TCP_RECEIVE_H

#include "inet/tcp.h"

Term tcp_receive(Inet *d, Reader *arguments, Text *answer);
Term tcp_unreceive(Inet *d, Reader *arguments, Text *answer);
/* There is something to read, or it is wanted from now on: the option `active` was set, or the connection is new. What
 * there is is delivered, and more is waited for, if somebody wants it. */
void tcp_receive_now(Tcp *t);

#endif
