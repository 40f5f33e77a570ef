/*
 * Ties between processes of this node and actors of another, as far as the connection between the two has to know: when
 * it ends, each must be undone from this side. They are the channel's (distribution/channel.h), written by the thread
 * that runs it, and follow the orders and messages that pass through it, in both directions.
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
 * A monitor of ours stands under its reference's key; so does a request to spawn, until it is answered, and what its
 * answer makes of it. A watch is a monitor that somebody there has on a process of ours: it stands under a key of its
 * own, by which the process knows it, and is found by the other's reference.
 */
#ifndef VIV_DISTRIBUTION_TIES_H
#define VIV_DISTRIBUTION_TIES_H

#include "process/far.h"
#include "process/monitor.h"

struct Channel;

typedef struct LinkTie {
    KeyNode node; /* the Far: one count */
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

typedef enum { TIE_MONITOR, TIE_SPAWN } TieKind;
typedef struct MonitorTie {
    KeyNode node; /* the reference's key */
    TieKind kind;
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
    KeyTable links, monitors, watches, watches_by_reference;
} Ties;

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
/* Some link, taken out: false when there is none left. The Far's count is the caller's. */
bool tie_link_take_any(Ties *ties, Term *from, Far **far);

/* Monitors and spawns. `pid` is external, or NON_VALUE with a name. */
void tie_monitor(Ties *ties, TieKind kind, uint64_t key, Term from, bool is_alias_reference, Term pid, Term name);
/* Taken out, NULL when that process has none of that kind; tie_monitor_free by the caller. */
MonitorTie *tie_monitor_take(Ties *ties, TieKind kind, uint64_t key, Term from);
MonitorTie *tie_monitor_take_any(Ties *ties);
void tie_monitor_free(MonitorTie *tie);
void tie_monitor_drop(Ties *ties, uint64_t key);

/* A watch, with two holders: the tie, and the signal to the process. It is `channel`'s, who is held for it by the
 * caller; who gives up the last hold frees it (distribution/watch.h). */
WatchTie *tie_watch(Ties *ties, struct Channel *channel, Term external_pid, Term reference, Term pid, Term name,
                    const NativeWatch *functions);
/* By the other's reference; by the key. Taken out, with the tie's count, NULL when there is none. */
WatchTie *tie_watch_take(Ties *ties, Term reference);
WatchTie *tie_watch_take_key(Ties *ties, uint64_t key);
WatchTie *tie_watch_take_any(Ties *ties);
#endif
