/*
 * Who is to hear, once, that all that was sent has been written: {empty_out_q, Port}.
 */
#ifndef VIV_INET_SUBSCRIBE_H
#define VIV_INET_SUBSCRIBE_H

#include "inet/inet.h"

void inet_subscribe(Inet *d, Term pid);
/* Tells all of them. */
void inet_queue_is_empty(Inet *d);
void inet_subscribers_release(Inet *d);

#endif
