/*
 * How a channel is lost (distribution/channel.h): its entry leads to it no more from that moment, so that nobody
 * begins to use it; it hears so by a signal behind all that was ordered before, and then tells who had ties
 * (distribution/end.h). Any thread that may look pids up, no lock held.
 */
#ifndef VIV_DISTRIBUTION_LOSE_H
#define VIV_DISTRIBUTION_LOSE_H

#include "distribution/channel.h"

/* False: it is lost already. */
bool channel_lose(Channel *c, Term reason);
/* Only if it is not up. */
bool channel_give_up(Channel *c);
/* A handler of exits: with net_kernel this node loses its name (distribution/alive.h), and all connections end. */
bool channels_process_exit(Process *p, int64_t *reductions);
/* The other node does not keep to the protocol, as `what` says: that is reported, its controller is ended, and the
 * channel is lost. */
void channel_break(Channel *c, const char *what);
/* What it must be told cannot be. */
void channel_abandon(Channel *c);

#endif
