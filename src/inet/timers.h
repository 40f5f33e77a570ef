/*
 * Timers of a socket: any number of them, over the one that a port has.
 *
 * The first that is due is at hand, so thousands cost little. The port's is set for it, or before that: one that is
 * cancelled leaves it as it is, so whoever waits a short time for each of many things sets it once.
 *
 * Who has set one keeps it, and forgets it when it is due.
 */
#ifndef VIV_INET_TIMERS_H
#define VIV_INET_TIMERS_H

#include "inet/inet.h"

typedef void InetDue(Inet *d, uint64_t key);

struct InetTimer *inet_timer_set(Inet *d, uint32_t milliseconds, InetDue *due, uint64_t key);
/* If there is one: *timer is NULL then. */
void inet_timer_cancel(Inet *d, struct InetTimer **timer);
/* The port's is due. */
void inet_timers_run(Inet *d);
void inet_timers_release(Inet *d);

#endif
