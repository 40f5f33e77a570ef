/*
 * Options that are no single value of 32 bits: what lingers, what is active, raw ones, names of devices and of name
 * spaces, groups, control messages. Their arguments have been read in part when they come here.
 */
#ifndef VIV_INET_OPTION_OTHER_H
#define VIV_INET_OPTION_OTHER_H

#include "inet/inet.h"

/* The first 32 bits have been read. am_ok, or the name of an error. */
Term inet_other_option_set(Inet *d, unsigned number, int32_t value, Reader *r);
Term inet_other_option_get(Inet *d, unsigned number, Reader *r, Text *answer);

/* What was to come has been counted down: the owner hears of it. */
void inet_become_passive(Inet *d);

#endif
