/*
 * What is sent: written at once, or queued; and the end of it (shutdown).
 */
#ifndef VIV_INET_TCP_SEND_H
#define VIV_INET_TCP_SEND_H

#include "inet/tcp.h"

/* As `outputv` of a driver's entry. */
void tcp_send(Tcp *t, ErlIOVec *v);
/* The socket can be written. */
void tcp_send_ready(Tcp *t);
Term tcp_shutdown(Inet *d, Reader *arguments, Text *answer);
Term tcp_sendfile(Inet *d, Reader *arguments, Text *answer);
/* As `flush`: the port is closing, and the queue is not empty; or the runtime ends. */
void tcp_flush(Tcp *t);

#endif
