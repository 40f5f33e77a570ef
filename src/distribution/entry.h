/*
 * Other nodes: an entry for each name that a connection was ever wanted to, and the connection to it.
 *
 * An entry leads to its channel (distribution/channel.h), the connection that is being made or is there; NULL when
 * there is none. It is found without a lock and never goes away (nor does the atom that names it); the channel it
 * leads to is good until the finder's next quiescent point. What is written here is written under LOCK_NODE_ENTRIES:
 *
 *     no channel --> pending --> up --> no channel, and the channel *ends*: it tells all who had a tie
 *                       |                                       |
 *                       +-- the attempt is given up ------------+
 *
 * A connection that is new is not up before the one before it has told all (`ending`), so that nobody hears from a node
 * and then that it was lost. Source: net_kernel(3); erlang(3) nodes/1, monitor_node/2.
 */
#ifndef VIV_DISTRIBUTION_ENTRY_H
#define VIV_DISTRIBUTION_ENTRY_H

#include "process/key_table.h"
#include "process/process.h"

struct Channel;

typedef struct Entry {
    struct Entry *next; /* of its bucket; never changes */
    Term name;
    _Atomic(struct Channel *) channel;
    unsigned ending;   /* channels of it that still tell; under the lock */
    struct ChannelWaiting *waiting; /* until none does; the same */
} Entry;

/* Any thread. */
Entry *entry_find(Term name);
/* Finds or adds; `name` is a node's. */
Entry *entry_put(Term name);
void entries_each(void (*each)(Entry *entry, void *data), void *data);

void entries_lock(void);
void entries_unlock(void);

static inline struct Channel *entry_channel(const Entry *entry) {
    return atomic_load_explicit(&entry->channel, memory_order_acquire);
}

#endif
