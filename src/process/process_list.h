/*
 * A list of processes that wait for a thread, linked through queue_next and queue_before, under the lock of the queue
 * that it is in. `queue_before` of the first one says nothing.
 */
#ifndef VIV_PROCESS_PROCESS_LIST_H
#define VIV_PROCESS_PROCESS_LIST_H

#include "process/process.h"

typedef struct {
    Process *first, *last; /* `last` is meaningful while there is a first */
} ProcessList;

static inline void process_list_append(ProcessList *l, Process *p) {
    p->queue_next = NULL;
    p->queue_before = l->last;
    if (l->first)
        l->last->queue_next = p;
    else
        l->first = p;
    l->last = p;
}

static inline void process_list_prepend(ProcessList *l, Process *p) {
    p->queue_next = l->first;
    if (l->first)
        l->first->queue_before = p;
    else
        l->last = p;
    l->first = p;
}

/* NULL when it is empty. */
static inline Process *process_list_take(ProcessList *l) {
    Process *p = l->first;
    if (p)
        l->first = p->queue_next;
    return p;
}

/* One that is in it, wherever. */
static inline void process_list_remove(ProcessList *l, Process *p) {
    if (l->first == p) {
        l->first = p->queue_next;
        return;
    }
    p->queue_before->queue_next = p->queue_next;
    if (l->last == p)
        l->last = p->queue_before;
    else
        p->queue_next->queue_before = p->queue_before;
}

#endif
