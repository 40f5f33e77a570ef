/*
 * A part of a file is sent: prim_inet:sendfile/4. It follows what was to be written before, and what is sent later
 * follows it. Who asks for it hears of the end: {sendfile, Port, {ok, Low, High}}, the bytes that went as two numbers,
 * or {sendfile, Port, {error, Reason}}.
 */
#ifndef VIV_INET_TCP_FILE_H
#define VIV_INET_TCP_FILE_H

#include "inet/tcp.h"

/* Its arguments have been checked; the descriptor is the socket's from now on. */
void tcp_file_begin(Tcp *t, int fd, int64_t offset, int64_t size);
/* How many bytes of the queue are to be written before its turn comes; SIZE_MAX: there is none. And so many were. */
size_t tcp_file_turn(const Tcp *t);
void tcp_file_approach(Tcp *t, size_t bytes);
/* It is its turn, and the socket can be written: some more. Then 0: it goes on; or it is through, and who asked for
 * it has been told; or the number of the error that ends the connection, which he has been told, too. */
int tcp_file_write(Tcp *t);
/* There is no connection any more. */
void tcp_file_end(Tcp *t, Term reason);

#endif
