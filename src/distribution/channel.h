/*
 * Channels: a connection to another node, from the first attempt to the last tie that its loss undoes. It is an actor
 * (process/actor.h): whoever wants something of the other node pushes an Order, whoever has bytes from it an Input, and
 * whatever it keeps is written by the thread that runs it. Order is kept for each pair, as all goes through one list of
 * signals. Nobody waits for it, but who sends to one that is busy (distribution/tell.h).
 *
 *   - pending: it leads nowhere yet. Ties are noted, orders wait.
 *   - up: it has a *controller*, a port or a process, through which bytes go. Orders become packets as fast as that
 *     takes them.
 *   - ending: its entry leads to it no more, and its list of signals is closed: who pushes is refused, as by a process
 *     that has ended. It tells all who had a tie, in slices.
 *   - gone: its memory is there as long as somebody holds it (a term that names it, the watcher of a process).
 *
 * `status` is written under LOCK_NODE_ENTRIES, with release, and read by anybody; capabilities, controller and creation
 * are written before CHANNEL_UP is, and do not change any more.
 */
#ifndef VIV_DISTRIBUTION_CHANNEL_H
#define VIV_DISTRIBUTION_CHANNEL_H

#include "distribution/backlog.h"
#include "distribution/capabilities.h"
#include "distribution/entry.h"
#include "distribution/fragments.h"
#include "distribution/header.h"
#include "distribution/order.h"
#include "distribution/ties.h"
#include "port/port.h"
#include "process/actor.h"
#include "process/node_monitors.h"
#include "term/refc_binary.h"

/* Signals that only channels get. */
enum {
    CHANNEL_ORDER = 100, /* Order */
    CHANNEL_INPUT,       /* ChannelInput */
    CHANNEL_CALL,        /* ChannelCall */
    CHANNEL_END,         /* ChannelEnd */
};

enum {
    CHANNEL_UP = 1u << 0,
    CHANNEL_ENDS = 1u << 1,
};

/* Bytes that have come: one packet. */
typedef struct {
    Signal signal; /* must be first */
    RefcBinary *buffer;
    const uint8_t *bytes; /* in it */
    size_t size;
} ChannelInput;

/* It has been lost. */
typedef struct {
    Signal signal; /* must be first */
    Kept reason;
} ChannelEnd;

/* What is asked of a channel: `handle` does it, by the thread that runs it, and frees the block (ALLOC_SIGNAL). */
typedef struct ChannelCall {
    Signal signal; /* must be first */
    void (*handle)(struct Channel *channel, struct ChannelCall *call);
    Term from;        /* who asks: a pid */
    uint64_t request; /* that is answered; 0: none */
    Process *here;    /* he runs the channel himself, and finds the answer in `answer`, a term of his heap; or NULL */
    Term answer;
    Term value;       /* what else it is about: an immediate term */
} ChannelCall;

typedef struct ChannelWaiting {
    struct ChannelWaiting *next;
    Term pid;
    uint64_t request;
} ChannelWaiting;

typedef struct Channel {
    Process actor; /* must be first */
    Entry *entry;
    uint32_t number;    /* of the connection, among all of this run: from 1 on, ever more */
    uint32_t id;        /* what Erlang knows of that */
    RefcBinary *handle; /* what references to it lead to: one count; NULL when it is gone. Under LOCK_NODE_ENTRIES */
    ProgressNode progress;

    /* Written before it is up. */
    uint64_t capabilities;
    Term controller;   /* a port or a process of this node */
    PortPeer peer;     /* for the port */
    NativeWatch watch; /* of its end */
    uint32_t creation; /* the other's */

    /* Its own. */
    Ties ties;
    Order *queue, **queue_last; /* what is to be told, oldest first */
    KeyTable in_pieces;         /* whose orders are being sent in fragments (output.c) */
    Order *awaited; /* those of the queue, and of in_pieces, whose senders wait until they are sent */
    uint64_t next_sequence;
    AtomCacheOut *atoms_out; /* NULL until a header has atoms; the same */
    AtomCacheIn *atoms_in;
    Fragments fragments;
    bool wants_notice; /* the controller, a process, wants to hear when there is something to send */
    bool gives_sizes;  /* and is given the size of each packet with it */
    ChannelWaiting *waiting, **waiting_last; /* until it is not busy: who came first is woken first */
    bool is_told_up;                 /* who hears of nodes has been told of it */
    bool is_ending;                  /* it was told that it is lost */
    bool is_broken;                  /* what it was sent is malformed: nothing behind that is taken */
    NodeMonitorWalk end_walk;        /* those who hear of all nodes, while they are told of its end */
    Kept reason;                     /* of its end */

    /* Shared. */
    _Atomic uint32_t status;
    _Atomic bool is_blocked;      /* it waits until its port takes more */
    Backlog backlog;              /* of orders: added to by all, taken from by it */
    _Atomic size_t bytes_unread;  /* of what has come */
    _Atomic bool input_waits;     /* its port reads nothing until some of that is read */
    _Atomic uint64_t packets_in, packets_out; /* written by it */
    _Atomic int64_t told_at; /* clock_monotonic of the last order */
    _Atomic uint32_t told_soon; /* so many have come soon after each other */
    _Atomic Term input_handler; /* a process that may bring what comes, as the controller may; NON_VALUE */
    _Atomic uint32_t holders;
} Channel;

static inline Channel *channel_of(Process *actor) { return (Channel *)actor; }
static inline bool channel_has_status(const Channel *c, uint32_t bits) {
    return (atomic_load_explicit(&c->status, memory_order_acquire) & bits) != 0;
}
static inline bool channel_can(const Channel *c, uint64_t ability) { return (c->capabilities & ability) != 0; }
static inline Term channel_node(const Channel *c) { return c->entry->name; }
/* The channel by which the entry's node is connected; NULL: it is not, or there is no entry. */
static inline Channel *entry_up_channel(const Entry *entry) {
    Channel *c = entry == NULL ? NULL : entry_channel(entry);
    return c != NULL && channel_has_status(c, CHANNEL_UP) ? c : NULL;
}

/* Pending, held by who makes it, that is by the connection (channel_gone). */
Channel *channel_create(Entry *entry, const ActorBody *body);
/* By who has a hold, or sees it in its entry under the lock. */
static inline void channel_hold(Channel *c) { atomic_fetch_add(&c->holders, 1); }
/* By who has found it without one. False: nobody holds it any more, and it is about to go. */
must_check bool channel_try_hold(Channel *c);
/* Any thread. The last frees it, through thread progress. */
void channel_release(Channel *c);

/* {Id, Reference}, which names the connection: 3 words and a magic reference. */
Term channel_handle(Area *area, Channel *c);
/* By its thread, when it has told all. */
void channel_drop_handle(Channel *c);
/* NULL: it is no such term. Good as long as the term is; it may be gone by now. */
Channel *channel_of_handle(Term handle);

/* Bytes that have come and may be unread: then the port stops reading, and goes on when half of them are read. */
#define CHANNEL_UNREAD_MAX ((size_t)2 << 20)

/* Bytes that may wait; more, and who sends waits (+zdbbl). Set at start. */
extern size_t channel_busy_limit;
static inline bool channel_is_busy(const Channel *c) { return backlog_is_busy(&c->backlog); }
/* Its flag async_dist: process_flag/2. */
static inline bool channel_may_be_awaited_by(const Process *p) { return !(p->flags & FLAG_ASYNC_DIST); }
/* By its thread: an answer to `request` of that process when it is busy no more, at once when it is not; and that. */
void channel_wake_when_free(Channel *c, Term pid, uint64_t request);
void channel_is_free(Channel *c);
/* Answers the requests of such a list with `true`, and frees it. */
void channel_wake(ChannelWaiting *first);

/* Any thread that may look pids up. False: it ends, and the signal is the caller's. The first runs the channel at once,
 * by this thread, if it rests; the second leaves it to a scheduler. */
must_check bool channel_tell(Channel *c, Signal *signal);
must_check bool channel_push(Channel *c, Signal *signal);
/* An order, which counts from then on for whether the channel is busy. When many come soon after each other, they are
 * left to a scheduler: who sends them goes on beside it, and they are written together. */
must_check bool channel_tell_order(Channel *c, Order *o);
/* For system_monitor/2: p waits for it. */
void channel_tell_busy(const Channel *c, Process *p);
/* Before `o` is told, by `ending` itself, which has no other order that it waits for: where its payload alone is enough
 * to make the channel busy, or the channel is, it goes on with its end when the order is gone. So what one that ends
 * tells many does not wait here all at once. Nobody waits for one that is not up, as he himself may be setting it
 * up, nor does who has the port of any. */
void channel_let_end_later(const Channel *c, Order *o, Process *ending);
/* What has come, which counts as unread until channel_has_read, by the channel's thread. */
must_check bool channel_tell_input(Channel *c, ChannelInput *in);
void channel_has_read(Channel *c, size_t bytes);
/* By its port, before it reads: false, there is much unread, and it is told when it is to go on (port/read_on.h). */
must_check bool channel_takes_input(Channel *c);
/* It has something to do: at the end of its signals, or soon. By its thread. */
static inline void channel_goes_on(Channel *c) { atomic_fetch_or(&c->actor.state, STATE_ACTIVE); }

/* By its thread: 16 KB each, which a peer that keeps no atoms does not cost. */
AtomCacheOut *channel_atoms_out(Channel *c);
AtomCacheIn *channel_atoms_in(Channel *c);

ChannelCall *channel_call_create(Term from, void handle(Channel *channel, ChannelCall *call));
/* By its thread, the last thing that is done with a call. The term is immediate, or built by the first of two forms. */
void channel_answer(ChannelCall *call, Term (*build)(Channel *c, void *data, Area *area), Channel *c, void *data);
void channel_answer_with(ChannelCall *call, Term immediate);
/* By a BIF that may wait, as the last thing: the answer, or NON_VALUE with the process waiting. `gone`: it ends. */
Term channel_ask(Process *p, Channel *c, ChannelCall *call, Term gone);

#endif
