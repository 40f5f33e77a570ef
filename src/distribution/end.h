/*
 * The end of a channel that was lost: each tie is told so once, in slices, and then its memory goes. By its thread. If
 * the channel was up, that begins when nodeup has been told, which another thread does.
 * Order: nodedown, then links, monitors and requests, then what is watched from there; whoever waits for the end, to
 * make the next connection, after that.
 */
#ifndef VIV_DISTRIBUTION_END_H
#define VIV_DISTRIBUTION_END_H

#include "distribution/channel.h"

void end_begin(Channel *c, ChannelEnd *end);
/* Nodeup has been told: the last of what whoever makes a connection does for it. */
void end_may_be_told(Channel *c);
ActorNext end_run(Channel *c);

#endif
