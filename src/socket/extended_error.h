/*
 * What a queue of errors holds (ip(7), IP_RECVERR): the control message `recverr`, as a map. Source: socket(3),
 * extended_err().
 */
#ifndef VIV_SOCKET_EXTENDED_ERROR_H
#define VIV_SOCKET_EXTENDED_ERROR_H

#include "term/area.h"

/* NON_VALUE: there are not enough bytes. */
Term socket_extended_error_term(Area *area, const uint8_t *bytes, size_t count);

#endif
