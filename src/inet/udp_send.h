/*
 * A packet is sent: an address, options that go with this packet, and its bytes. The address does not matter where the
 * socket is connected. Nothing is queued: what the system has no room for is refused with its error.
 */
#ifndef VIV_INET_UDP_SEND_H
#define VIV_INET_UDP_SEND_H

#include "inet/udp.h"

void udp_send(Inet *d, ErlIOVec *v);

#endif
