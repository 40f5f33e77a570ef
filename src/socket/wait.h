/*
 * Those who wait for a socket: to read, to write, to accept, to connect.
 *
 * A queue holds a request for each process that waits, the first of them is the current one: the descriptor is armed
 * for it, or its message `select` is on its way, or it has come. It tries again then, as does one that did not wait for
 * the message; when it is through, or gives up, or dies, the next one becomes current. A request is monitored (a
 * process that dies is taken out), and holds its own reference as a Kept. The file that a writer sends from goes with
 * its request (socket/registry.h).
 *
 * All functions here are called under the lock of the direction that the queue belongs to.
 */
#ifndef VIV_SOCKET_WAIT_H
#define VIV_SOCKET_WAIT_H

#include "socket/socket.h"

typedef struct SocketRequest {
    struct SocketRequest *next;
    Term pid;
    Kept reference;
    ErlNifMonitor monitor;
} SocketRequest;

typedef enum { SOCKET_TO_READ = ERL_NIF_SELECT_READ, SOCKET_TO_WRITE = ERL_NIF_SELECT_WRITE } SocketFor;

size_t socket_queue_length(const SocketQueue *q);

/* What socket:info/1 shows of a direction: who waits to accept, or to connect, makes the socket `accepting`, or
 * `connecting`. */
unsigned socket_read_state(const Socket *s);
unsigned socket_write_state(const Socket *s);

/* May this process try now? Otherwise others wait before it: it waits behind them, with `reference`; or it already
 * does. One that would not wait (`zero`) is not held up. */
typedef enum { TURN_IS_NOW, TURN_LATER, TURN_IS_TAKEN } SocketTurn;
SocketTurn socket_turn(Socket *s, SocketQueue *q, Term pid, Term reference);
/* It becomes the current one, without waiting: others do, until it is through. */
void socket_hold(Socket *s, SocketQueue *q, Term pid, Term reference);
/* It waits, as the current one. False: that cannot be done. */
bool socket_wait(Socket *s, SocketQueue *q, SocketFor what, Term pid, Term reference);
/* It is through. The next one's turn comes, if it was the current one. */
void socket_through(Socket *s, SocketQueue *q, SocketFor what, Term pid);
/* It could not be done: whoever waits behind the current one hears of `reason` too. */
void socket_fails(Socket *s, SocketQueue *q, Term pid, Term reason);
/* The socket is of no use to those who wait any more: each is told of `reason`. */
void socket_abort(Socket *s, SocketQueue *q, Term reason);
/* A request is given up. */
typedef enum { CANCEL_NOT_FOUND, CANCEL_DONE, CANCEL_SENT } SocketCancel;
SocketCancel socket_cancel(Socket *s, SocketQueue *q, SocketFor what, Term pid, Term reference);
/* All go, and nobody is told. */
void socket_drop_requests(Socket *s, SocketQueue *q);
/* A process has gone. */
void socket_forget(Socket *s, SocketQueue *q, SocketFor what, Term pid);

#endif
