#include "port/kept_back.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/key_table.h"

typedef struct {
    KeyNode node; /* must be first; key: who it is */
    size_t signals, commands; /* of his in the list */
} Sender;

typedef struct KeptSignal {
    struct KeptSignal *next;
    Signal *signal;
    Sender *sender;
    KeptAs as;
} KeptSignal;

typedef struct KeptBack {
    KeptSignal *first, **last;
    KeyTable senders;
    size_t loose; /* signals of senders who have no command in the list */
    size_t unless_busy; /* that are kept so */
    bool goes_on; /* what is handled now comes from the list */
} KeptBack;

bool port_keeps_him_back(const Port *port, uint64_t from) {
    return !port->kept_back->goes_on && key_table_find(&port->kept_back->senders, from) != NULL;
}

bool port_has_kept_back(const Port *port) { return port->kept_back != NULL && port->kept_back->goes_on; }

static KeptBack *kept_back_of(Port *port) {
    if (port->kept_back == NULL) {
        KeptBack *k = port->kept_back = mem_calloc(ALLOC_PORT, sizeof *k);
        k->last = &k->first;
    }
    return port->kept_back;
}

static Sender *sender_of(KeptBack *k, uint64_t from) {
    Sender *s = (Sender *)key_table_find(&k->senders, from);
    if (s != NULL)
        return s;
    s = mem_calloc(ALLOC_PORT, sizeof *s);
    s->node.key = from;
    key_table_add(&k->senders, &s->node);
    return s;
}

/* One that has no command is loose, with all that he has. */
static void count(KeptBack *k, Sender *s, KeptAs as, size_t change) {
    if (s->commands == 0)
        k->loose -= s->signals;
    s->signals += change;
    if (as == KEPT_UNTIL_FREE)
        s->commands += change;
    if (as == KEPT_UNLESS_BUSY)
        k->unless_busy += change;
    if (s->commands == 0)
        k->loose += s->signals;
}

void port_keep_back(Port *port, uint64_t from, Signal *signal, KeptAs as) {
    KeptBack *k = kept_back_of(port);
    KeptSignal *kept = mem_alloc(ALLOC_PORT, sizeof *kept);
    *kept = (KeptSignal){NULL, signal, sender_of(k, from), as};
    count(k, kept->sender, as, 1);
    *k->last = kept;
    k->last = &kept->next;
}

static void handle(Port *port, KeptBack *k, KeptSignal **at) {
    KeptSignal *kept = *at;
    Signal *signal = kept->signal;
    Sender *sender = kept->sender;
    *at = kept->next;
    if (k->last == &kept->next)
        k->last = at;
    count(k, sender, kept->as, (size_t)-1);
    if (sender->signals == 0) {
        key_table_remove(&k->senders, sender->node.key);
        mem_free(ALLOC_PORT, sender);
    }
    mem_free(ALLOC_PORT, kept);
    race_window("a signal that was kept back goes on");
    k->goes_on = true;
    port->actor.body->handle(&port->actor, signal);
    k->goes_on = false;
    port->actor.reductions -= COST_OF_PORT_SIGNAL;
}

static bool is_held_up(const Port *port) {
    return port_has_status(port, PORT_BUSY) && !port_has_status(port, PORT_CLOSING);
}

static bool stays(const KeptSignal *kept) { return kept->sender->commands > 0 && kept->as != KEPT_UNLESS_BUSY; }

bool port_kept_back_goes_on(Port *port) {
    KeptBack *k = port->kept_back;
    if (k == NULL)
        return true;
    KeptSignal **at = &k->first;
    while (true) {
        bool is_held = is_held_up(port);
        if (!is_held) /* again, perhaps: those that were passed over are the first */
            at = &k->first;
        if (*at == NULL || (is_held && k->loose == 0 && k->unless_busy == 0))
            break;
        if (port->actor.reductions <= 0)
            return false;
        if (is_held && stays(*at))
            at = &(*at)->next;
        else
            handle(port, k, at);
    }
    if (k->first == NULL) {
        port->kept_back = NULL;
        mem_free(ALLOC_PORT, k);
    }
    return true;
}
