/*
 * Spawning under a sequence token: as on the stock runtime it goes by a request and a reply. Both count in the serials,
 * and the system tracer hears that each is sent and received, though no such messages are needed here:
 *
 *     parent -> child   {spawn_request, Ref, Parent, GroupLeader, {M, F, Arity}, Options, ReplyTag, Args}
 *     child -> parent   {ReplyTag, Ref, ok, Child}     unless nobody wants to be told
 *
 * The child begins with the token that it had when it answered. Only spawn_request's reply is a message, with that
 * token, which the parent takes up as it receives it; others keep theirs. Until the child is published both are the
 * parent's to change, and it is the parent's flags and the parent as a tracer that decide whether anything is told.
 * Source: answers of OTP 25 and 27.
 */
#ifndef VIV_PROCESS_SPAWN_TOKEN_H
#define VIV_PROCESS_SPAWN_TOKEN_H

#include "process/spawn.h"

/* By the parent's thread, the parent has a token. The two builds in the areas of both. */
void spawn_token_request(Process *parent, Process *child, const SpawnOptions *o, Term reference);
/* What the message that answers is to carry, in the parent's area. */
Term spawn_token_reply(Process *parent, Process *child, const SpawnOptions *o, Term reference);

#endif
