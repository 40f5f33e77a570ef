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
 *
 * Between nodes there are such messages, but they are told in two parts, each with a serial of its own: the request and
 * its arguments, which go to the name of the node. There both have come to the child, or, when it could not be made,
 * the first to the name of the node, which then answers. The child begins with the token of the arguments; the answer
 * follows the request's. The token that goes over the wire is that of the arguments. Source: answers of OTP 25 and 27.
 */
#ifndef VIV_PROCESS_SPAWN_TOKEN_H
#define VIV_PROCESS_SPAWN_TOKEN_H

#include "process/far.h"
#include "process/spawn.h"

/* By the parent's thread, the parent has a token. The two builds in the areas of both. */
void spawn_token_request(Process *parent, Process *child, const SpawnOptions *o, Term reference);
/* What the message that answers is to carry, in the parent's area. */
Term spawn_token_reply(Process *parent, Process *child, const SpawnOptions *o, Term reference);

/* By the asking process's thread, it has a token: what the order is to carry. Built in its area. */
Term spawn_token_ask_far(Process *p, const FarOrder *order, Term reference);
typedef struct {
    Term parent, group_leader, module, function, arity, options, reference; /* as they were asked for */
    Term arguments, token; /* the latter as it came */
} SpawnAsked;
/* By the connection: `child` is the new process, which nobody else sees yet, or an atom that says why there is none.
 * What the answer is to carry, built in the area. */
Term spawn_token_asked_from_far(const SpawnAsked *asked, Term child, Area *area);

#endif
