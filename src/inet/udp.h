/*
 * The driver `udp_inet`: datagrams. Source: kernel's prim_inet and gen_udp(3), and what the stock runtime does.
 *
 * Nothing is kept of what comes or goes: a packet is read when somebody waits for it or the socket is active, into a
 * buffer that lasts for one turn, and told at once; one that is sent goes at once, or its sender hears why not. So a
 * socket that rests is its structure and a descriptor, and what nobody wants stays with the system, which drops what it
 * has no room for. In one turn no more than `read_packets` are read.
 */
#ifndef VIV_INET_UDP_H
#define VIV_INET_UDP_H

#include "inet/inet.h"

typedef struct {
    Inet inet; /* must be first */
    int32_t read_packets;
} Udp;

extern const ErlDrvEntry udp_driver;

#endif
