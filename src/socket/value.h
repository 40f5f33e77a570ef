/*
 * Values that terms hold, as the system's structures have them. Nothing here collects.
 */
#ifndef VIV_SOCKET_VALUE_H
#define VIV_SOCKET_VALUE_H

#include "term/term.h"

/* The value of a map's key; NON_VALUE. */
Term socket_map_value(Term map, Term key);
/* An integer that a C int, or an unsigned one, holds. */
must_check bool socket_int_from(Term t, int *to);
must_check bool socket_uint_from(Term t, unsigned *to);

#endif
