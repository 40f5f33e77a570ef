#include "inet/subscribe.h"

#include "alloc/alloc.h"
#include "inet/tell.h"
#include "term/atom.h"

typedef struct InetSubscriber {
    struct InetSubscriber *next;
    Term pid;
} InetSubscriber;

void inet_subscribe(Inet *d, Term pid) {
    InetSubscriber *s = mem_alloc(ALLOC_PORT, sizeof *s);
    *s = (InetSubscriber){d->subscribers, pid};
    d->subscribers = s;
}

static Term take_first(Inet *d) {
    InetSubscriber *s = d->subscribers;
    Term pid = s->pid;
    d->subscribers = s->next;
    mem_free(ALLOC_PORT, s);
    return pid;
}

void inet_queue_is_empty(Inet *d) {
    while (d->subscribers != NULL) {
        Term pid = take_first(d);
        if (port_is_heard((const Port *)d->port))
            inet_tell(d, pid, am_empty_out_q);
    }
}

void inet_subscribers_release(Inet *d) {
    while (d->subscribers != NULL)
        (void)take_first(d);
}
