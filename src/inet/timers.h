/*
 * Timers of a socket: any number of them, over the one that a port has.
 *
 * They stand in the order in which they are due. The port's is set for the first of them, or before that: one that is
 * cancelled leaves it as it is, so whoever waits a short time for each of many things sets it once.
 */
#ifndef VIV_INET_TIMERS_H
#define VIV_INET_TIMERS_H

#include "inet/inet.h"

typedef void InetDue(Inet *d, uint64_t key);

void inet_timer_set(Inet *d, uint32_t milliseconds, InetDue *due, uint64_t key);
/* If there is such a one. */
void inet_timer_cancel(Inet *d, InetDue *due, uint64_t key);
/* The port's is due. */
void inet_timers_run(Inet *d);
void inet_timers_release(Inet *d);

#endif
