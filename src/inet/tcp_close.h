/*
 * How a connection ends, and who hears of it: the owner of an active socket by messages, who waits by his answer. Who
 * comes later finds it in `late_send` and `late_receive`, once.
 */
#ifndef VIV_INET_TCP_CLOSE_H
#define VIV_INET_TCP_CLOSE_H

#include "inet/tcp.h"

/* The descriptor goes, with what was to be written; who waits is told that it is closed. The port goes on. */
void tcp_close(Tcp *t);
/* Reading has found the end (am_closed), or an error. */
void tcp_receive_failed(Tcp *t, Term reason);
/* Writing has found an error; who sends is told by the caller. */
void tcp_send_failed(Tcp *t, Term reason);
/* Who waits until he can send is not told any more that it took too long. */
void tcp_sender_in_time(Tcp *t);
/* It was made active when it had no descriptor any more. */
void tcp_tell_late(Tcp *t);
/* Of an error number: what it is called; am_closed where the other end has gone and that is not shown. */
Term tcp_error(const Tcp *t, int number);

#endif
