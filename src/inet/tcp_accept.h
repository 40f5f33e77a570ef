/*
 * Sockets that listen. Any number of processes wait for new connections, each for one.
 */
#ifndef VIV_INET_TCP_ACCEPT_H
#define VIV_INET_TCP_ACCEPT_H

#include "inet/tcp.h"

Term tcp_listen(Inet *d, Reader *arguments, Text *answer);
Term tcp_accept(Inet *d, Reader *arguments, Text *answer);
/* There may be some. */
void tcp_accept_ready(Tcp *t);
/* One who waits has ended. */
void tcp_acceptor_gone(Tcp *t, const ErlDrvMonitor *monitor);
/* All hear that it is closed. */
void tcp_acceptors_end(Tcp *t);

#endif
