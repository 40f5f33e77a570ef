/*
 * Requests to spawn, and the answers to those of this node, as they come (distribution/input.h). By the channel's
 * thread. Source: ERTS User's Guide, "Distribution Protocol", SPAWN_REQUEST and SPAWN_REPLY.
 */
#ifndef VIV_DISTRIBUTION_INPUT_SPAWN_H
#define VIV_DISTRIBUTION_INPUT_SPAWN_H

#include "distribution/deliver.h"

/* False: the arguments are malformed. `area`: where the message's terms lie. */
must_check bool input_spawn_request(Channel *c, const Control *m, Area *area, const Encoded *arguments);
void input_spawn_reply(Channel *c, const Control *m, Area *area);

#endif
