/*
 * A socket is connected: who asks for it hears of the result.
 */
#ifndef VIV_INET_TCP_CONNECT_H
#define VIV_INET_TCP_CONNECT_H

#include "inet/tcp.h"

Term tcp_connect(Inet *d, Reader *arguments, Text *answer);
/* The system has decided. */
void tcp_connect_ready(Tcp *t);

#endif
