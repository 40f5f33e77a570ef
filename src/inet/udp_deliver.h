/*
 * A packet is told to who waits, or to the owner: with the address that it comes from, and what else came with it.
 */
#ifndef VIV_INET_UDP_DELIVER_H
#define VIV_INET_UDP_DELIVER_H

#include "inet/address.h"
#include "inet/udp.h"

#define UDP_ADDRESS_ROOM 128 /* that is free in front of a packet's bytes */

typedef struct {
    uint8_t *bytes;
    size_t size;
    InetAddress from;
    struct msghdr message; /* its control messages */
} UdpPacket;

/* Somebody wants it: the socket is active, or is waited for. */
void udp_deliver(Inet *d, const UdpPacket *p);

#endif
