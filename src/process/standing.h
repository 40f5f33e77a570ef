/*
 * Who stands in a queue, by priority: max before high before the rest. Normal and low share a list, where a low one is
 * passed over LOW_SKIPS times while there are normal ones (as erlang(3) process_flag(priority, ...) describes).
 *
 * A process has a QueuePlace in it for each kind of queue: it may stand in a run queue and in a dirty queue at once.
 * All is under the lock of the queue; `queue` is written under it, and read by who does not know where one stands.
 */
#ifndef VIV_PROCESS_STANDING_H
#define VIV_PROCESS_STANDING_H

#include <stdatomic.h>

#include "base/defs.h"

typedef enum { PRIORITY_MAX, PRIORITY_HIGH, PRIORITY_NORMAL, PRIORITY_LOW, PRIORITY_COUNT } Priority;

#define LOW_SKIPS 8

typedef struct QueuePlace {
    struct QueuePlace *next, *before; /* `before` of the first one says nothing */
    uint32_t priority;                /* that at which it stands there, or was taken */
    uint32_t low_skips;
    _Atomic uint32_t queue; /* a number that the queue gives, or 0: it stands in none */
} QueuePlace;

typedef struct {
    QueuePlace *first, *last; /* `last` is meaningful while there is a first */
} PlaceList;

typedef struct {
    PlaceList max, high, normal;
    uint32_t count[PRIORITY_COUNT];
} Standing;

static inline void place_append(PlaceList *l, QueuePlace *place) {
    place->next = NULL;
    place->before = l->last;
    if (l->first)
        l->last->next = place;
    else
        l->first = place;
    l->last = place;
}

static inline void place_prepend(PlaceList *l, QueuePlace *place) {
    place->next = l->first;
    if (l->first)
        l->first->before = place;
    else
        l->last = place;
    l->first = place;
}

/* NULL when it is empty. */
static inline QueuePlace *place_take(PlaceList *l) {
    QueuePlace *place = l->first;
    if (place)
        l->first = place->next;
    return place;
}

/* One that is in it, wherever. */
static inline void place_remove(PlaceList *l, QueuePlace *place) {
    if (l->first == place) {
        l->first = place->next;
        return;
    }
    place->before->next = place->next;
    if (l->last == place)
        l->last = place->before;
    else
        place->next->before = place->before;
}

static inline PlaceList *standing_list(Standing *s, uint32_t priority) {
    return priority == PRIORITY_MAX ? &s->max : priority == PRIORITY_HIGH ? &s->high : &s->normal;
}

static inline PlaceList *standing_enter(Standing *s, QueuePlace *place, Priority priority) {
    place->priority = priority;
    s->count[priority]++;
    return standing_list(s, priority);
}

static inline void standing_append(Standing *s, QueuePlace *place, Priority priority) {
    place_append(standing_enter(s, place, priority), place);
    if (priority == PRIORITY_LOW)
        place->low_skips = LOW_SKIPS;
}

/* That it was passed over already counts. */
static inline void standing_prepend(Standing *s, QueuePlace *place, Priority priority) {
    place_prepend(standing_enter(s, place, priority), place);
}

static inline void standing_remove(Standing *s, QueuePlace *place) {
    s->count[place->priority]--;
    place_remove(standing_list(s, place->priority), place);
}

/* The last one that stands with those of this priority; NULL: there is none. */
static inline QueuePlace *standing_last(Standing *s, Priority priority) {
    const PlaceList *l = standing_list(s, priority);
    return s->count[priority] != 0 ? l->last : NULL;
}

/* Who stands before it, in the same list; NULL: it is the first. */
static inline QueuePlace *standing_before(Standing *s, const QueuePlace *place) {
    return standing_list(s, place->priority)->first != place ? place->before : NULL;
}

static inline bool place_is_passed_over(const Standing *s, QueuePlace *place) {
    if (place->priority != PRIORITY_LOW || place->low_skips == 0 || s->count[PRIORITY_NORMAL] == 0)
        return false;
    place->low_skips--;
    return true;
}

/* Whose turn it is, taken out; NULL: nobody stands there. */
static inline QueuePlace *standing_take(Standing *s) {
    QueuePlace *place = place_take(&s->max);
    if (!place)
        place = place_take(&s->high);
    while (!place && (place = place_take(&s->normal)) && place_is_passed_over(s, place)) {
        place_append(&s->normal, place);
        place = NULL;
    }
    if (place)
        s->count[place->priority]--;
    return place;
}

/* The most urgent that stands there, a low one as if it were normal; PRIORITY_COUNT: nobody does. */
static inline Priority standing_level(const Standing *s) {
    return s->max.first      ? PRIORITY_MAX
           : s->high.first   ? PRIORITY_HIGH
           : s->normal.first ? PRIORITY_NORMAL
                             : PRIORITY_COUNT;
}

#endif
