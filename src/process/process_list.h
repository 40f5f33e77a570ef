/* A list of processes that wait for a thread, linked through queue_next, under the lock of the queue that it is in. */
#ifndef VIV_PROCESS_PROCESS_LIST_H
#define VIV_PROCESS_PROCESS_LIST_H

#include "process/process.h"

typedef struct {
    Process *first, *last; /* `last` is meaningful while there is a first */
} ProcessList;

static inline void process_list_append(ProcessList *l, Process *p) {
    p->queue_next = NULL;
    if (l->first)
        l->last->queue_next = p;
    else
        l->first = p;
    l->last = p;
}

/* NULL when it is empty. */
static inline Process *process_list_take(ProcessList *l) {
    Process *p = l->first;
    if (p)
        l->first = p->queue_next;
    return p;
}

/* `more` behind `l`; `more` is left empty. */
static inline void process_list_splice(ProcessList *l, ProcessList *more) {
    if (!more->first)
        return;
    if (l->first)
        l->last->queue_next = more->first;
    else
        l->first = more->first;
    l->last = more->last;
    more->first = NULL;
}

#endif
