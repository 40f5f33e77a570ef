/*
 * Collections that others ask for: erlang:garbage_collect(Pid) and the requests of system tasks.
 *
 * The request arrives as a signal, which may not collect; it is kept in p->collection_requests and STATE_TASKS makes
 * the scheduler call collect_requested at the start of p's next slice, where nothing but the saved registers is live.
 */
#ifndef VIV_PROCESS_COLLECT_H
#define VIV_PROCESS_COLLECT_H

#include "process/message.h"

/* What the requester gets: an answer to his request `id`, or, with a message prepared, that message. */
typedef struct {
    CollectKind kind;
    Term requester;
    uint64_t id;       /* 0: send `done` instead */
    Message *done, *failed; /* sent when collected, and when the process is gone */
} CollectOrder;

/* False: there is no such process (the messages are still the caller's). */
bool collect_order(Term pid, const CollectOrder *order);
void collect_requested(Process *p);
/* A process that ends answers what is left. */
void collect_refuse_all(Process *p);

#endif
