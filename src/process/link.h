/*
 * Links: each side keeps a Link with the other's actor key (process/far.h); they are made and taken apart by signals,
 * or by orders to the connection where the other belongs to another node.
 *
 * unlink/1 keeps the Link, marked with a number, until the other side has acknowledged: an exit signal of the other
 * side that arrives meanwhile is dropped, so nothing of the link is seen after unlink/1 returns. Linking again before
 * the acknowledgement clears the mark; the late acknowledgement is then ignored. Owner's thread only. Source: Erlang
 * reference manual, "Processes", "Links".
 */
#ifndef VIV_PROCESS_LINK_H
#define VIV_PROCESS_LINK_H

#include "process/far.h"
#include "process/message.h"

typedef struct Link {
    KeyNode node;       /* key: the other's actor key, with a count */
    uint64_t unlinking; /* 0: linked */
    uint32_t connection; /* of this node's making, to a process of another node: the number of the connection that was
                          * told; 0: no such */
    bool is_priority;   /* what the owner receives when it breaks is a priority message (process/receive_marker.h) */
} Link;

typedef struct {
    Signal signal;
    uint64_t from; /* actor key, with a count */
    uint64_t id;   /* of unlink and its acknowledgement */
    uint32_t connection; /* the number of that by which it came; 0: it is of this node */
} LinkSignal;

/* False: no such process (when the caller traps exits, it is told so by a message and the answer is true). A link that
 * is there already becomes one of the asked kind. One to a process of a node that cannot be reached is broken by an
 * exit signal, noconnection. */
bool link_make(Process *p, Term pid, bool is_priority);
/* To a port that has ended, though p still holds a link to it: as where there is none. */
bool link_to_ended(Process *p, Term port);
/* Does p hold one? */
bool link_is_there(const Process *p, Term pid);
/* True: the other is told. */
bool link_remove(Process *p, Term pid);
/* Adds one side, for spawning; the Link has the caller's count of the actor key. */
void link_add(Process *p, uint64_t actor, bool is_priority);
/* What a process of another node does to `to`: SIGNAL_LINK, SIGNAL_UNLINK with the number that is to be acknowledged,
 * or SIGNAL_UNLINK_ACK with that of the FAR_UNLINK. It came by that connection. Any thread that may look pids up; the
 * caller keeps his count of `from`. False: there is no such process, and it is the caller's to answer: noproc, or the
 * acknowledgement. */
must_check bool link_signal_from_far(SignalKind kind, Term to, Far *from, uint32_t connection, uint64_t id);
void link_handle(Process *p, LinkSignal *s);
/* By one that is exiting, or has ended: the other side hears noproc. */
void link_refuse(Process *p, LinkSignal *s);
/* Was the exit signal of a link that still holds? The link is gone then, and of that kind. The signal's key is the
 * number of a connection that is lost, 0 otherwise: a link that was made by a later one is not meant. */
bool link_broken_by(Process *p, const Message *exit, bool *is_priority);
/* Sends {'EXIT', p, reason} to one linked process, with p's sequential trace token. False when there is none left. */
bool link_exit_next(Process *p, Term reason);
/* The same, but a link with a port is put into `ports` instead, for later. */
bool link_exit_next_but_ports(Process *p, KeyTable *ports, Term reason);
/* Is there a link of p's whose end it is to receive as a priority message? */
bool link_takes_priority(const Process *p);

/* A message {'EXIT', from, reason} of the given kind, without a token. `from` is a pid, maybe of another node, or a
 * port. */
Message *exit_signal_create(SignalKind kind, Term from, Term reason);

#endif
