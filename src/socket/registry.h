/*
 * The stock process that hears of sockets: of each one's beginning and end, and of files that somebody must close.
 *
 * Nobody waits for it: these send a message, or do nothing when there is no such process.
 */
#ifndef VIV_SOCKET_REGISTRY_H
#define VIV_SOCKET_REGISTRY_H

#include "socket/socket.h"

/* Which process it is. */
void socket_registry_is(Term pid);
/* {'$socket', What, Socket} */
void socket_tell_registry(Socket *s, Term what);
/* The file's process waits no more: the file is to be closed, which may take long: the registry has that done. Nothing
 * where there is no such file. Under write_lock. */
void socket_defer_file(Socket *s);

#endif
