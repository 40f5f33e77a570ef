#include "inet/timers.h"

#include "alloc/alloc.h"
#include "process/clock.h"

#define NANOSECONDS 1000000

/* A pairing heap: none is due before the one above it. Source: Fredman, Sedgewick, Sleator, Tarjan, "The pairing heap"
 * (1986). */
typedef struct InetTimer {
    struct InetTimer *first, *next, **link; /* below it; beside it; where it hangs */
    int64_t at;      /* monotonic nanoseconds */
    uint64_t number; /* of those that are due at once the older comes first */
    InetDue *due;
    uint64_t key;
} InetTimer;

static bool is_before(const InetTimer *a, const InetTimer *b) {
    return a->at != b->at ? a->at < b->at : a->number < b->number;
}

/* Each the first of its own heap, or NULL, beside nothing; the first of both. */
static InetTimer *join(InetTimer *a, InetTimer *b) {
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    InetTimer *above = is_before(a, b) ? a : b, *below = above == a ? b : a;
    below->next = above->first;
    if (below->next != NULL)
        below->next->link = &below->next;
    below->link = &above->first;
    above->first = below;
    return above;
}

static void put_first(Inet *d, InetTimer *t) {
    d->timers = t;
    if (t != NULL)
        t->link = &d->timers;
}

/* Those that lie beside each other are joined two by two, then all of these. */
static InetTimer *join_all(InetTimer *from) {
    InetTimer *pairs = NULL, *all = NULL;
    while (from != NULL) {
        InetTimer *a = from, *b = a->next;
        from = b != NULL ? b->next : NULL;
        a->next = NULL;
        if (b != NULL)
            b->next = NULL;
        InetTimer *pair = join(a, b);
        pair->next = pairs;
        pairs = pair;
    }
    while (pairs != NULL) {
        InetTimer *pair = pairs;
        pairs = pair->next;
        pair->next = NULL;
        all = join(all, pair);
    }
    return all;
}

static void drop(Inet *d, InetTimer *t) {
    *t->link = t->next;
    if (t->next != NULL)
        t->next->link = t->link;
    put_first(d, join(d->timers, join_all(t->first)));
    mem_free(ALLOC_PORT, t);
}

/* Rounded up: none is due early. */
static void set_port_timer(Inet *d) {
    const InetTimer *first = d->timers;
    if (first == NULL || (d->timer_at != 0 && d->timer_at <= first->at))
        return;
    int64_t left = first->at - monotonic_time();
    d->timer_at = first->at;
    (void)driver_set_timer(d->port, left <= 0 ? 0 : (unsigned long)((left + NANOSECONDS - 1) / NANOSECONDS));
}

InetTimer *inet_timer_set(Inet *d, uint32_t milliseconds, InetDue *due, uint64_t key) {
    InetTimer *t = mem_calloc(ALLOC_PORT, sizeof *t);
    t->at = monotonic_time() + (int64_t)milliseconds * NANOSECONDS;
    t->number = d->timers_set++;
    t->due = due;
    t->key = key;
    put_first(d, join(d->timers, t));
    set_port_timer(d);
    return t;
}

void inet_timer_cancel(Inet *d, InetTimer **timer) {
    if (*timer != NULL)
        drop(d, *timer);
    *timer = NULL;
}

void inet_timers_run(Inet *d) {
    int64_t now = monotonic_time();
    d->timer_at = 0;
    while (d->timers != NULL && d->timers->at <= now) {
        InetDue *due = d->timers->due;
        uint64_t key = d->timers->key;
        drop(d, d->timers);
        due(d, key);
    }
    set_port_timer(d);
}

void inet_timers_release(Inet *d) {
    while (d->timers != NULL)
        drop(d, d->timers);
}
