/*
 * Whether there may be other nodes for this one: it has a name, or is to get one from the first node that it connects
 * to, which stock's erts_internal has written down as a persistent term then. Source: erlang(3), is_alive/0.
 */
#ifndef VIV_BIF_ALIVE_H
#define VIV_BIF_ALIVE_H

#include "process/process.h"

/* May build in the process's area. */
bool is_alive_or_to_be(Process *p);

#endif
