/*
 * Control messages, which come with data, as options: prim_inet reads them as it reads those of REQUEST_GET_OPTIONS.
 */
#ifndef VIV_INET_CONTROL_MESSAGE_H
#define VIV_INET_CONTROL_MESSAGE_H

#include "inet/inet.h"

/* Those that are options: tos, ttl, tclass. */
void inet_control_messages_put(struct msghdr *message, Text *to);

#endif
