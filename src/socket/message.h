/*
 * Sockets as terms, and messages about them: {'$socket', Reference} is what programs have, and the messages that the
 * module socket, its users and its registry wait for begin with the same atom. Nothing here collects or takes a lock of
 * a socket.
 */
#ifndef VIV_SOCKET_MESSAGE_H
#define VIV_SOCKET_MESSAGE_H

#include "socket/socket.h"

/* A message to a process: any thread, with any of these locks. */
void socket_tell(Term pid, Term message);
/* {'$socket', Reference}; and {'$socket', {'$socket', Reference}, What, Data}. */
Term socket_term(Area *area, Term reference);
Term socket_message(Area *area, Term reference, Term what, Term data);
/* The same for one whose reference is not at hand. */
Term socket_reference(Area *area, Socket *s);

#endif
