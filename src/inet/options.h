/*
 * Options of a socket are set and asked for, any number of them at once: REQUEST_SET_OPTIONS, REQUEST_GET_OPTIONS.
 * Source: kernel's prim_inet, how it writes options and reads their values.
 */
#ifndef VIV_INET_OPTIONS_H
#define VIV_INET_OPTIONS_H

#include "inet/inet.h"

/* Those before one that is refused stay set. */
Term inet_set_options(Inet *d, Reader *arguments, Text *answer);
/* What the system does not tell of this socket is left out. */
Term inet_get_options(Inet *d, Reader *arguments, Text *answer);

/* One more message was sent to the owner: what `active` is now. */
void inet_active_message_sent(Inet *d);

#endif
