/*
 * Control messages, which come with data, as options: prim_inet reads them as it reads those of REQUEST_GET_OPTIONS.
 */
#ifndef VIV_INET_CONTROL_MESSAGE_H
#define VIV_INET_CONTROL_MESSAGE_H

#include "inet/inet.h"

/* Those that are options: tos, ttl, tclass. */
void inet_control_messages_put(struct msghdr *message, Text *to);
/* The same as a list of {Option, Value}, and how many words that takes at most. */
Term inet_control_messages_term(const struct msghdr *message, Area *area);
size_t inet_control_messages_words(const struct msghdr *message);
/* Those that are to go with a packet: am_ok, or the name of an error. */
must_check Term inet_control_messages_take(Reader *options, Text *controls);

#endif
