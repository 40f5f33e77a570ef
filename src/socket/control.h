/*
 * Control messages: maps #{level, type, data, value} in terms, and the system's structures. A value that is known here
 * is told beside the bytes; one that is given without bytes is encoded. Source: socket(3), cmsg(3).
 */
#ifndef VIV_SOCKET_CONTROL_H
#define VIV_SOCKET_CONTROL_H

#include <sys/socket.h>

#include "term/area.h"

/* The list of what came with a message. */
Term socket_control_term(Area *area, struct msghdr *from);
/* Fills the room that is there, and says how much of it is used. False: it is no such list, or does not fit. */
must_check bool socket_control_from(Term list, struct msghdr *to);

#endif
