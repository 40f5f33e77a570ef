/*
 * Setting the group leader of another process: a signal to it, for it alone writes the field. A leader may be a process
 * of another node, and so may be who sets it.
 */
#ifndef VIV_PROCESS_GROUP_LEADER_H
#define VIV_PROCESS_GROUP_LEADER_H

#include "process/message.h"

typedef struct {
    CallSignal call;
    Kept leader;
    Term requester; /* NON_VALUE: nobody hears of it */
    uint64_t id;    /* of its request (process/request.h), or 0 */
    KeptMessage yes, no;
} LeaderSignal;

LeaderSignal *leader_signal_create(Term requester, Term leader);
/* One that could not be sent. */
void leader_signal_free(LeaderSignal *s);
/* By a connection: any thread that may look pids up. Nothing, when there is no such process. */
void group_leader_set_from_far(Term to, Term leader);

#endif
