/*
 * How processes reach other nodes: the hook of process/far.h, and messages.
 *
 * Who sends to a node that is busy waits before; whatever else a process tells one, it waits after. Whose payload is
 * so large that it alone would make the connection busy waits until it is sent, and meanwhile counts for little: others
 * have their turn between its fragments, so they need not wait for it. A process that does not wait, as its flag
 * async_dist or `nosuspend` says, counts in full. Source: erlang(3) send/2,3; what the stock runtime does.
 */
#ifndef VIV_DISTRIBUTION_TELL_H
#define VIV_DISTRIBUTION_TELL_H

#include "process/far.h"
#include "process/process.h"

/* far_tell. A reason that is too large for the external format cannot be told, and ends the connection. */
bool tell_far(const FarOrder *order);

/* The entry of the routing table (process/route.h): an external pid or reference, {Name, Node}. Who would have to wait
 * traps to the second, by a BIF that may. */
Term tell_message(Process *p, Term destination, Term message);
Term tell_message_when_free(Process *p, Term destination, Term message, Term result);
/* Where who waits is shown by process_info/2, as on the stock runtime: the function that it waits in there. */
typedef enum {
    TELL_SEND,  /* erts_internal:dsend_continue_trap/1 */
    TELL_CALL,  /* erlang:bif_return_trap/2 */
    TELL_FLUSH, /* erts_internal:flush_monitor_messages/3 */
    TELL_SPAWN, /* erts_internal:spawn_request_yield/3 */
} TellPlace;

/* As far_order, by who may wait afterwards: for a large payload until it is sent, else until the connection is not busy
 * any more. The answer is `result`, or NON_VALUE: it traps to one of the next two, which answer with some value. */
Term tell_order(Process *p, const FarOrder *order, Term result, TellPlace place);
Term tell_wait_sent(Process *p, Term to, Term number);
Term tell_wait_until_free(Process *p, Term node, Term place);
/* The second half, for what was told otherwise. `node` is a name. */
Term tell_told(Process *p, Term node, Term result, TellPlace place);
/* As of now: would who sends it wait; is there a connection, pending or not? `destination` as above. */
bool tell_would_wait(const Process *p, Term destination);
bool tell_is_connected(Term destination);

#endif
