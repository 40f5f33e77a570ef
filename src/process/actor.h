/*
 * Actors: whoever has an identifier, a list of signals, links, monitors, a name and a place in run queues. A process is
 * one that runs Erlang code; a port (port/port.h) is one that does something else, its *body*. It is a Process all the
 * same: what stands in process/process.h of `state`, of signals and of the thread that owns it holds for it word for
 * word. What a process has beyond that (heap, stack, message queue, dictionary) it leaves empty.
 */
#ifndef VIV_PROCESS_ACTOR_H
#define VIV_PROCESS_ACTOR_H

#include "process/process.h"
#include "process/signal.h"

typedef enum { ACTOR_WAITS, ACTOR_GOES_ON, ACTOR_IS_GONE } ActorNext;

/* By the thread that runs the actor, no lock held. */
typedef struct ActorBody {
    /* A signal has come; it is the body's now. */
    void (*handle)(Process *actor, Signal *signal);
    /* STATE_ACTIVE is set, by itself or another: it goes on with what it has to do, and lowers `reductions`. Gone: it
     * has left its table, closed its list of signals, and is not touched any more. */
    ActorNext (*run)(Process *actor);
    /* signal_tell, by the thread of `teller`, a process, a port, or NULL. NULL: one that is never told so. */
    bool (*tell)(Process *actor, Process *teller, Signal *signal);
    /* By a scheduler, around a slice: before the signals that have come are handled, with all its reductions, and at
     * its end, unless the actor has gone. NULL: it does not matter to it. */
    void (*slice)(Process *actor, bool begins);
    /* It is ending: its flags of tracing are not there any more, whatever it still does. NULL: it never is. */
    bool (*is_ending)(const Process *actor);
    bool is_hidden; /* nothing that Erlang knows: it has no identifier, and nobody traces it */
} ActorBody;

/* Of a process as of those with a body. By the thread that runs it. */
static inline bool actor_is_ending(const Process *actor) {
    const ActorBody *body = actor->body;
    return body == NULL ? process_is_exiting(actor) : body->is_ending != NULL && body->is_ending(actor);
}

/* One that nobody can see yet, all zero but for what an actor needs. */
void actor_init(Process *actor, Term id, const ActorBody *body);

/* Takes an actor that rests, so that the caller runs it for a moment; what came before is handled then. False: another
 * has it, or will. Only those with a body. */
must_check bool actor_own(Process *actor);
/* Gives it back, as a scheduler that leaves it. */
void actor_give_back(Process *actor, bool wants_more);

#endif
