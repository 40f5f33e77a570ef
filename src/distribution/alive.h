/*
 * This node's name: it has one, is *alive*, as long as the process lives that was net_kernel when it was given.
 *
 * When that process ends, the node is nonode@nohost again, before anybody hears of that end (process/exit.h, 1.). The
 * name itself is where all can read it without a lock, term/node.h. Source: net_kernel(3); erlang(3) is_alive/0.
 */
#ifndef VIV_DISTRIBUTION_ALIVE_H
#define VIV_DISTRIBUTION_ALIVE_H

#include "process/process.h"

/* By a process. False, and nothing has changed: `name` is no name of a node, this node has one, or there is no
 * net_kernel. */
must_check bool alive_begin(Term name, uint32_t creation);
/* name@host, an atom: letters, digits, `_` and `-` of ASCII, then anything. A node without a name has one, too. */
bool is_node_name(Term t);
/* Abilities that this node has and does not say, to whom it connects from now on: 0 at first. For tests; any thread. */
void capabilities_withhold(uint64_t abilities);
uint64_t capabilities_withheld(void);
/* p ends. The name that the node had by it, which is over; NON_VALUE: it is another process. */
Term alive_end(const Process *p);

#endif
