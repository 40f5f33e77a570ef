#include "process/group_leader.h"

#include "alloc/alloc.h"
#include "process/request.h"
#include "term/atom.h"

void leader_signal_free(LeaderSignal *s) {
    kept_release(&s->leader);
    kept_message_free(&s->yes);
    kept_message_free(&s->no);
    mem_free(ALLOC_SIGNAL, s);
}

static void take_leader(Process *p, CallSignal *call) {
    LeaderSignal *s = container_of(call, LeaderSignal, call);
    bool alive = !process_is_exiting(p);
    if (alive)
        p->group_leader = kept_adopt(&s->leader, &p->heap);
    if (s->id)
        request_reply(s->requester, s->id, alive ? am_true : am_false);
    kept_message_send(alive ? &s->yes : &s->no, s->requester);
    leader_signal_free(s);
}

LeaderSignal *leader_signal_create(Term requester, Term leader) {
    LeaderSignal *s = mem_calloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take_leader;
    s->leader = kept_make(leader);
    s->requester = requester;
    return s;
}

void group_leader_set_from_far(Term to, Term leader) {
    LeaderSignal *s = leader_signal_create(NON_VALUE, leader);
    if (!is_local_pid(to) || !signal_send(to, &s->call.signal))
        leader_signal_free(s);
}
