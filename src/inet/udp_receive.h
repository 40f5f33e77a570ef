/*
 * Packets are read: when the socket is active, or for who waits.
 */
#ifndef VIV_INET_UDP_RECEIVE_H
#define VIV_INET_UDP_RECEIVE_H

#include "inet/udp.h"

/* The request PACKET_REQ_RECV. How many bytes are wanted does not matter: a packet comes as it is, up to `buffer`. */
Term udp_receive(Inet *d, Reader *arguments, Text *answer);
/* There may be some, or somebody may want some now; the descriptor is watched from then on if somebody still does. */
void udp_receive_now(Inet *d);
/* The system says that there are some. */
void udp_receive_ready(Inet *d);

#endif
