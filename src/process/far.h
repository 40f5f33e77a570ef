/*
 * Actors of other nodes, as far as processes of this node are tied to them; and how a process reaches them.
 *
 * A Far is a pid of another node to which something of this node has a tie (a link, on either side of it). There is one
 * object for each such pid, counted, in a table with a lock of its own that is held only inside the calls below. So its
 * address names the actor: tables by actor (KeyTable links) have an *actor key*, a local identifier itself or a Far's
 * address, which no identifier can be (its low bits are those of a small integer). Who keeps an actor key of a Far has
 * one count of it.
 *
 * What a process does to an actor of another node is a FarOrder. far_tell, installed by distribution/ at start, hands
 * it to the connection to that node, behind all that the same process has handed over before: order is kept for each
 * pair, as between processes of one node. NULL: this node reaches no others.
 *
 * What becomes of ties when a connection ends: for each link that either side has made the connection sends
 * SIGNAL_EXIT_LINKED from that Far, reason noconnection, and for each that is being undone and not acknowledged; for
 * each FAR_MONITOR a SIGNAL_DOWN, reason noconnection; to each FAR_SPAWN a reply, error noconnection
 * (process/spawn_far.h). It knows them by the orders that came, so each order that ends a tie is to be told as well,
 * though nobody may be there to hear it. Who hears from elsewhere that it was lost may make a tie anew, by the next
 * connection, before the end of the old one comes to him: so links know by which one they were made.
 */
#ifndef VIV_PROCESS_FAR_H
#define VIV_PROCESS_FAR_H

#include <stdatomic.h>

#include "term/node.h"

struct Process;

typedef struct Far {
    struct Far *hash_next;
    Node *node;    /* one count */
    uint64_t data; /* as in External: number, and serial above it */
    _Atomic(int64_t) refc;
} Far;

#define FAR_TERM_WORDS 4

/* Of an external pid; finds or adds. One count for the caller. */
Far *far_put(Term external_pid);
/* NULL: there is none; else one count. */
Far *far_find(Term external_pid);
void far_retain(Far *far);
void far_release(Far *far);
Term far_term(Area *area, Far *far);
/* The same without a count of the node: for who uses it, or has it copied, while he has the Far and the room. */
typedef struct {
    External external;
} FarRoom;
Term far_lend(FarRoom *room, const Far *far);
/* How many there are. */
size_t far_count(void);

/* Actor keys. */
static inline bool actor_key_is_far(uint64_t key) { return (key & 7) == 0; }
static inline Far *actor_key_far(uint64_t key) { return (Far *)key; }
/* Of a local pid or port, which needs no count, or of an external pid, with one. */
static inline uint64_t actor_key(Term pid) { return is_immediate(pid) ? pid : (uint64_t)far_put(pid); }
static inline void actor_key_retain(uint64_t key) {
    if (actor_key_is_far(key))
        far_retain(actor_key_far(key));
}
static inline void actor_key_release(uint64_t key) {
    if (actor_key_is_far(key))
        far_release(actor_key_far(key));
}
/* FAR_TERM_WORDS words at most. */
static inline Term actor_key_term(Area *area, uint64_t key) {
    return actor_key_is_far(key) ? far_term(area, actor_key_far(key)) : (Term)key;
}
/* As far_lend. */
static inline Term actor_key_lend(FarRoom *room, uint64_t key) {
    return actor_key_is_far(key) ? far_lend(room, actor_key_far(key)) : (Term)key;
}

typedef enum {
    FAR_SEND,         /* payload to a pid, an alias or a name */
    FAR_LINK,         /* `from` has made its side */
    FAR_UNLINK,       /* with the number `id` */
    FAR_UNLINK_ACK,   /* of the number `id` that came */
    FAR_EXIT_LINKED,  /* `from` has ended, payload is the reason: the link is gone */
    FAR_EXIT,         /* exit/2, payload is the reason */
    FAR_GROUP_LEADER, /* payload: a pid */
    FAR_MONITOR,      /* `from` has made its side, `id` is the reference's key */
    FAR_DEMONITOR,
    FAR_SPAWN,        /* `id` is the key of the request's reference, payload the list of arguments */
} FarKind;

typedef struct FarOrder {
    FarKind kind;
    Term from; /* whose order it is: a local pid */
    Term to;   /* an external pid; of FAR_SEND also an external reference; or an atom: the name on `node` */
    Term node; /* an atom; NON_VALUE where `to` is no name. FAR_SPAWN: where to, and `to` is NON_VALUE */
    uint64_t id;
    bool is_alias_reference; /* of FAR_MONITOR, FAR_DEMONITOR and FAR_SPAWN: the reference carries the pid */
    uint32_t *connection;    /* of FAR_LINK: becomes the number of the connection that is told; NULL */
    uint32_t answered;       /* of FAR_UNLINK_ACK: the number of that by which the unlink came; no other is told */
    struct Process *ending; /* of FAR_EXIT_LINKED: `from`, if it may wait (process/run_queue.h: process_end_later) until
                             * a large reason is sent; NULL */
    Term payload;
    Term token; /* of a sequential trace, of messages, exits and spawns; NIL: none */
    Term module, function, arity, group_leader, options; /* of FAR_SPAWN: as they go over the wire */
} FarOrder;

/* By the thread that runs the process `from`, no lock held; long work. Its terms are not used afterwards. Nothing is
 * collected. False: there is no connection, and none can be made: this node has no name, the other's is none, or it is
 * an order that connects to nobody (those that end a tie). A tie that was to be made is the caller's to end then, for
 * noconnection. True: it is on its way, be it that the connection has still to be made, or is lost. */
extern bool (*far_tell)(const FarOrder *order);
static inline bool far_order(const FarOrder *order) { return far_tell != NULL && far_tell(order); }

#endif
