/*
 * What a channel that is up gives to its controller: packets, made of the orders in its queue.
 *
 * A packet is the header, the control message, and the payload, or a part of that. With CAN_FRAGMENTS a payload of more
 * than ORDER_FRAGMENT_BYTES goes in parts, and between two of them others have their turn; but what the same process
 * has ordered later waits until the last part is gone, so that order is kept.
 *
 * A port takes packets until it is busy; then the channel rests until that is over. A process asks for each
 * (erlang(3) dist_ctrl_get_data/1). Source of the formats: ERTS User's Guide, "Distribution Header". By the channel's
 * thread.
 */
#ifndef VIV_DISTRIBUTION_OUTPUT_H
#define VIV_DISTRIBUTION_OUTPUT_H

#include "distribution/channel.h"

/* It is told when its turn comes. The order is the channel's. */
void output_add(Channel *c, Order *o);
/* Answers the call (`value`: the number of an order that is awaited) when that order has been sent, or is dropped. */
void output_wait_sent(Channel *c, ChannelCall *call);
/* An order of the channel's own, with a payload that is an atom, or none (NON_VALUE). */
void output_answer(Channel *c, Order *o, Term payload);
/* So many bytes wait no more. */
void output_is_told(Channel *c, size_t bytes);
/* Gives what the controller takes now. */
ActorNext output_run(Channel *c);
/* The next packet, for a process that asks: NULL bytes, there is none. Released by the caller. */
must_check bool output_next(Channel *c, IoVector *packet);
/* All that waits is dropped. */
void output_drop(Channel *c);

#endif
