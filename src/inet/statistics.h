/*
 * What has come and gone through a socket, by packets: their number, bytes, longest, average, and by how much they
 * differ from that on average. Source: inet(3) getstat/2.
 */
#ifndef VIV_INET_STATISTICS_H
#define VIV_INET_STATISTICS_H

#include "inet/inet.h"

/* A packet of so many bytes. */
void inet_count(InetTraffic *t, size_t bytes);
Term inet_statistics(Inet *d, Reader *arguments, Text *answer);

#endif
