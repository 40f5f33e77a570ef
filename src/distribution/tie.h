/*
 * What is tied to a connection (distribution/ties.h), in the order in which its end is told: links, then all others; of
 * each as they came. Source: what OTP 25 and 27 do.
 *
 * All zero: nothing is tied. One owner; no locks.
 */
#ifndef VIV_DISTRIBUTION_TIE_H
#define VIV_DISTRIBUTION_TIE_H

#include "process/key_table.h"

typedef enum { TIE_LINK, TIE_MONITOR, TIE_NODE, TIE_SPAWN } TieKind;

typedef struct Tie {
    KeyNode node; /* must be first: in the table of its kind */
    struct Tie *before, *after;
    TieKind kind;
} Tie;

typedef struct {
    Tie *first, *last;
} TieList;

typedef struct {
    TieList links, others;
} TieOrder;

static inline TieList *tie_list_of(TieOrder *order, const Tie *tie) {
    return tie->kind == TIE_LINK ? &order->links : &order->others;
}

/* As the last of its list. */
static inline void tie_order_append(TieOrder *order, Tie *tie) {
    TieList *list = tie_list_of(order, tie);
    tie->before = list->last;
    tie->after = NULL;
    *(list->last == NULL ? &list->first : &list->last->after) = tie;
    list->last = tie;
}

static inline void tie_order_remove(TieOrder *order, const Tie *tie) {
    TieList *list = tie_list_of(order, tie);
    *(tie->before == NULL ? &list->first : &tie->before->after) = tie->after;
    *(tie->after == NULL ? &list->last : &tie->after->before) = tie->before;
}

/* NULL: there is none. */
static inline Tie *tie_order_first(const TieOrder *order) {
    return order->links.first != NULL ? order->links.first : order->others.first;
}

#endif
