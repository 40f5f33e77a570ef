/*
 * How processes reach other nodes: the hook of process/far.h, and messages. Source: erlang(3) send/2,3.
 */
#ifndef VIV_DISTRIBUTION_TELL_H
#define VIV_DISTRIBUTION_TELL_H

#include "process/far.h"
#include "process/process.h"

/* far_tell. */
bool tell_far(const FarOrder *order);

/* The entry of the routing table (process/route.h): an external pid or reference, {Name, Node}. Who would have to wait
 * traps to the second, by a BIF that may. */
Term tell_message(Process *p, Term destination, Term message);
Term tell_message_when_free(Process *p, Term destination, Term message);
/* As of now: would who sends it wait; is there a connection, pending or not? `destination` as above. */
bool tell_would_wait(const Process *p, Term destination);
bool tell_is_connected(Term destination);

#endif
