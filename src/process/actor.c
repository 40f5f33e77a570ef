#include "process/actor.h"

#include "base/race_window.h"
#include "process/run_queue.h"
#include "process/signal_handle.h"
#include "process/trace_point.h"

void actor_init(Process *actor, Term id, const ActorBody *body) {
    actor->pid = id;
    actor->body = body;
    actor->messages_last = actor->save = &actor->messages;
    actor->seq_trace_token = actor->group_leader = NIL;
    actor->exit_reason = actor->exit_class = actor->parent = NON_VALUE;
    atomic_init(&actor->registered_name, NON_VALUE);
    atomic_init(&actor->state, (uint32_t)PRIORITY_NORMAL << STATE_PRIORITY_SHIFT);
    const RunQueue *here = run_queue_self();
    atomic_init(&actor->home_queue, here ? here->index : 0);
}

/* What has come to it, from the caller perhaps, comes before what he is going to do. */
bool actor_own(Process *actor) {
    uint32_t state = atomic_load(&actor->state);
    do {
        if ((state & (STATE_RUNNING | STATE_QUEUED | STATE_FREE)) || process_state_has_work(state))
            return false;
    } while (!atomic_compare_exchange_weak(&actor->state, &state, state | STATE_RUNNING));
    race_window("a port is owned by who asks it");
    trace_catch_up(actor);
    signal_handle(actor);
    return true;
}

void actor_give_back(Process *actor, bool wants_more) { process_leave(actor, wants_more); }
