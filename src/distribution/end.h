/*
 * The end of a channel that was lost: each tie is told so once, in slices, and then its memory goes. By its thread.
 * Order: nodedown, then links, monitors and requests, then what is watched from there; whoever waits for the end, to
 * make the next connection, after that.
 */
#ifndef VIV_DISTRIBUTION_END_H
#define VIV_DISTRIBUTION_END_H

#include "distribution/channel.h"

void end_begin(Channel *c, ChannelEnd *end);
ActorNext end_run(Channel *c);

#endif
