#include "inet/timers.h"

#include "alloc/alloc.h"
#include "process/clock.h"

#define NANOSECONDS 1000000

typedef struct InetTimer {
    struct InetTimer *next;
    int64_t at; /* monotonic nanoseconds */
    InetDue *due;
    uint64_t key;
} InetTimer;

/* Rounded up: none is due early. */
static void set_port_timer(Inet *d) {
    const InetTimer *first = d->timers;
    if (first == NULL || (d->timer_at != 0 && d->timer_at <= first->at))
        return;
    int64_t left = first->at - monotonic_time();
    d->timer_at = first->at;
    (void)driver_set_timer(d->port, left <= 0 ? 0 : (unsigned long)((left + NANOSECONDS - 1) / NANOSECONDS));
}

void inet_timer_set(Inet *d, uint32_t milliseconds, InetDue *due, uint64_t key) {
    InetTimer *t = mem_alloc(ALLOC_PORT, sizeof *t);
    *t = (InetTimer){NULL, monotonic_time() + (int64_t)milliseconds * NANOSECONDS, due, key};
    InetTimer **at = &d->timers;
    while (*at != NULL && (*at)->at <= t->at)
        at = &(*at)->next;
    t->next = *at;
    *at = t;
    set_port_timer(d);
}

static void drop(InetTimer **at) {
    InetTimer *t = *at;
    *at = t->next;
    mem_free(ALLOC_PORT, t);
}

void inet_timer_cancel(Inet *d, InetDue *due, uint64_t key) {
    for (InetTimer **at = &d->timers; *at != NULL; at = &(*at)->next) {
        if ((*at)->due == due && (*at)->key == key) {
            drop(at);
            return;
        }
    }
}

void inet_timers_run(Inet *d) {
    int64_t now = monotonic_time();
    d->timer_at = 0;
    while (d->timers != NULL && d->timers->at <= now) {
        InetDue *due = d->timers->due;
        uint64_t key = d->timers->key;
        drop(&d->timers);
        due(d, key);
    }
    set_port_timer(d);
}

void inet_timers_release(Inet *d) {
    while (d->timers != NULL)
        drop(&d->timers);
}
