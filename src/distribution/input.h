/*
 * Packets from another node, as they come through the controller of a channel that is up. By the channel's thread.
 *
 * Nothing that comes is trusted to be well formed: what is not ends the connection, with a report, and has changed
 * nothing but what whole packets before it have. Source of what each message does: ERTS User's Guide, "Distribution
 * Protocol".
 */
#ifndef VIV_DISTRIBUTION_INPUT_H
#define VIV_DISTRIBUTION_INPUT_H

#include "distribution/channel.h"

/* Takes the packet, and frees it. */
void input_take(Channel *c, ChannelInput *in);
/* Any thread: a packet, of which `shared` holds the bytes, or which is copied (NULL). */
ChannelInput *input_create(const uint8_t *bytes, size_t size, RefcBinary *shared);
void input_free(ChannelInput *in);

#endif
