/*
 * Links: each side keeps a Link with the other's pid; they are made and taken apart by signals.
 *
 * unlink/1 keeps the Link, marked with a number, until the other side has acknowledged: an exit signal of the other
 * side that arrives meanwhile is dropped, so nothing of the link is seen after unlink/1 returns. Linking again before
 * the acknowledgement clears the mark; the late acknowledgement is then ignored. Owner's thread only. Source: Erlang
 * reference manual, "Processes", "Links".
 */
#ifndef VIV_PROCESS_LINK_H
#define VIV_PROCESS_LINK_H

#include "process/message.h"

typedef struct Link {
    KeyNode node;       /* key: the other's pid */
    uint64_t unlinking; /* 0: linked */
    bool is_priority;   /* what the owner receives when it breaks is a priority message (process/receive_marker.h) */
} Link;

typedef struct {
    Signal signal;
    Term from;
    uint64_t id; /* of unlink and its acknowledgement */
} LinkSignal;

/* False: no such process (when the caller traps exits, it is told so by a message and the answer is true). A link that
 * is there already becomes one of the asked kind. */
bool link_make(Process *p, Term pid, bool is_priority);
void link_remove(Process *p, Term pid);
/* Adds one side, for spawning. */
void link_add(Process *p, Term pid, bool is_priority);
void link_handle(Process *p, LinkSignal *s);
/* By one that is exiting, or has ended: the other side hears noproc. */
void link_refuse(Process *p, LinkSignal *s);
/* Was the exit signal of a link that still holds? The link is gone then, and of that kind. */
bool link_broken_by(Process *p, Term from, bool *is_priority);
/* Sends {'EXIT', p, reason} to one linked process, with p's sequential trace token. False when there is none left. */
bool link_exit_next(Process *p, Term reason);
/* Is there a link of p's whose end it is to receive as a priority message? */
bool link_takes_priority(const Process *p);

/* A message {'EXIT', from, reason} of the given kind, without a token. */
Message *exit_signal_create(SignalKind kind, Term from, Term reason);

#endif
