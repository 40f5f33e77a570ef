/*
 * What a channel does with the signals that come to it, by its thread (process/actor.h).
 */
#ifndef VIV_DISTRIBUTION_BODY_H
#define VIV_DISTRIBUTION_BODY_H

#include "distribution/channel.h"

extern const ActorBody channel_body;

#endif
