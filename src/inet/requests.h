/*
 * What is asked of a socket by port_control/3. Source: kernel's prim_inet.
 *
 * An answer begins with REPLY_OK, or with REPLY_ERROR and the error's name behind it.
 */
#ifndef VIV_INET_REQUESTS_H
#define VIV_INET_REQUESTS_H

#include "inet/inet.h"

/* As `control` of a driver's entry: the driver's own requests first, then those that all have. */
ErlDrvSSizeT inet_control(Inet *d, unsigned command, char *bytes, ErlDrvSizeT size, char **result, ErlDrvSizeT room);

#endif
