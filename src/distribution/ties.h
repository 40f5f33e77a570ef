/*
 * Ties between processes of this node and actors of another, or that node itself, as far as the connection between the
 * two has to know: when it ends, each must be undone from this side, in order (distribution/tie.h). They are the
 * channel's (distribution/channel.h), written by the thread that runs it, and follow the orders and messages that pass
 * through it, in both directions.
 *
 * A link stands under the local process and the Far. It is known from the moment that either side makes it, until an
 * exit signal passes or both have heard that it is undone: one that was undone from here stays until that is
 * acknowledged, for so long the process keeps its side, and must be told if the connection is lost (process/link.c).
 *
 * What the two sides do may cross, and what the process holds in the end depends on what it had done when it handled
 * what came: a link that comes while it waits for an acknowledgement is not made, an unlink that comes takes away what
 * it has linked just before. The channel learns by the acknowledgement of an unlink that came how far the process has
 * got. So a tie says apart what the process has ordered, which an unlink that came undoes when the process acknowledges
 * it, and what came, which that undoes at once. Whether a link that came is made is known at once, unless unlinks that
 * came are not acknowledged yet: then it is in doubt until they are, and made only if the process has linked meanwhile.
 * A tie is never missed while the process holds a link, and is gone when all is quiet and it does not
 * (test/unit/distribution/u_ties.c tries orders at random).
 *
 * Who monitors the node stands under his pid, however often he does (process/node_monitors.h).
 *
 * A monitor of ours stands under its reference's key; so does a request to spawn, until it is answered, and what its
 * answer makes of it. A watch is a monitor that somebody there has on a process of ours: it stands under a key of its
 * own, by which the process knows it, and is found by the other's reference.
 */
#ifndef VIV_DISTRIBUTION_TIES_H
#define VIV_DISTRIBUTION_TIES_H

#include "distribution/tie.h"
#include "process/far.h"
#include "process/monitor.h"

struct Channel;

typedef struct LinkTie {
    Tie tie; /* must be first; its key is the Far: one count */
    struct LinkTies *of;
    bool is_ordered;    /* the process has linked */
    bool has_come;      /* the other has */
    bool is_doubtful;   /* the latter is */
    uint32_t unanswered; /* unlinks that came, and which the process has not acknowledged yet */
    uint64_t unlinking; /* what is to be acknowledged from there; 0: nothing */
} LinkTie;
static inline bool link_tie_is_linked(const LinkTie *tie) { return tie->is_ordered || tie->has_come; }

/* All links of one local process over this connection. */
typedef struct LinkTies {
    KeyNode node; /* the pid */
    KeyTable by_far;
} LinkTies;

/* TIE_MONITOR, or TIE_SPAWN. */
typedef struct MonitorTie {
    Tie tie;      /* must be first; its key is the reference's */
    Term from;    /* the local process */
    bool is_alias_reference;
    uint64_t far; /* an actor key of whom it monitors, with one count; 0: it is */
    Term name;    /* a name, on that node; NON_VALUE */
} MonitorTie;

/* Held by the tie, and by the signal to the process, then its watcher. */
typedef struct WatchTie {
    NativeWatch watch; /* must be first */
    KeyNode node;      /* among watches by key; the key by which the process knows it */
    KeyNode by_reference;
    struct WatchTie *same, *before; /* others of that key, which the first of them stands for: NULL before it */
    _Atomic(int64_t) holders;
    struct Channel *channel; /* held */
    Term pid;   /* who is watched */
    Term name;  /* by which; NON_VALUE */
    Far *from;  /* one count */
    uint32_t count, numbers[REF_NUMBERS_MAX]; /* the reference there */
} WatchTie;

typedef struct Ties {
    KeyTable links, monitors, nodes, watches, watches_by_reference;
    TieOrder order;
} Ties;

/* The one whose turn it is to be told of the end; NULL: there is none. To be taken out as one of its kind. */
static inline Tie *ties_first(const Ties *ties) { return tie_order_first(&ties->order); }

/* Links. `from` is the local process, the other an external pid or its Far.
 * What the process has ordered: to link, to unlink with that number, to acknowledge an unlink; or it has ended. */
void tie_link(Ties *ties, Term from, Term pid);
void tie_unlink(Ties *ties, Term from, Term pid, uint64_t id);
void tie_acknowledge(Ties *ties, Term from, Term pid);
void tie_link_gone(Ties *ties, Term from, Term pid);
/* What came, and the process has been told: the other has linked; has unlinked (the process will acknowledge that); has
 * acknowledged; has ended, or there is nobody to tell. */
void tie_linked(Ties *ties, Term from, Far *far);
void tie_linked_to(Ties *ties, Term from, Term pid);
void tie_unlinked(Ties *ties, Term from, Far *far);
void tie_acknowledged(Ties *ties, Term from, Far *far, uint64_t id);
void tie_broken(Ties *ties, Term from, Far *far);
/* Taken out. The Far's count is the caller's. */
void tie_link_take(Ties *ties, LinkTie *tie, Term *from, Far **far);

/* A process monitors the node; no more. */
void tie_node(Ties *ties, Term pid);
void tie_node_gone(Ties *ties, Term pid);

/* Monitors and spawns. `pid` is external, or NON_VALUE with a name. */
void tie_monitor(Ties *ties, TieKind kind, uint64_t key, Term from, bool is_alias_reference, Term pid, Term name);
/* NULL: that process has none of that kind. It stays. */
MonitorTie *tie_monitor_find(const Ties *ties, TieKind kind, uint64_t key, Term from);
void tie_monitor_drop(Ties *ties, uint64_t key);
/* A request to spawn becomes a monitor of what came of it, in its place. */
void tie_spawned(MonitorTie *request, Term pid);

/* A watch, with two holders: the tie, and the signal to the process. It is `channel`'s, who is held for it by the
 * caller; who gives up the last hold frees it (distribution/watch.h). */
WatchTie *tie_watch(Ties *ties, struct Channel *channel, Term external_pid, Term reference, Term pid, Term name,
                    const NativeWatch *functions);
/* By the other's reference; by the key. Taken out, with the tie's count, NULL when there is none. */
WatchTie *tie_watch_take(Ties *ties, Term reference);
WatchTie *tie_watch_take_key(Ties *ties, uint64_t key);
WatchTie *tie_watch_take_any(Ties *ties);
#endif
