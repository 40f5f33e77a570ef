/*
 * Commands that have come to a port that its driver has made busy meanwhile.
 *
 * Who sends a command looks first whether the port is busy, and waits (port/busy.h). When it becomes so afterwards, the
 * command is kept back until the driver says that it is free, or the port closes; and behind it all that its sender
 * does to the port from then on, calls, links, monitors and exits, so that his signals keep their order. Signals of
 * others go by. Commands that were forced, those of a peer, and messages that were sent with `nosuspend` are never what
 * begins this. A command of port_command/3 with `nosuspend` does nothing when the port is busy, and says so.
 *
 * The invariant: a sender is kept back as long as one of his commands is in the list. So when the port is free, the
 * list goes on from its front; if it becomes busy in the middle, what is left of those who have no command in it still
 * goes on, and the others stay, with all they have. The list goes on in the port's `run`, not in the callback that has
 * freed it; who is kept back is so until then, whatever the status says.
 *
 * What comes in a slice that is used up, by calls before it or by the driver (erl_drv_consume_timeslice), is kept here
 * for the next one, behind what its sender has in the list: none of that is a command that holds him up, unless the
 * port is busy by then.
 *
 * All by the thread that runs the port; nobody else looks. The bytes count as those that wait until they are handled.
 * Source: what the stock runtime does.
 */
#ifndef VIV_PORT_KEPT_BACK_H
#define VIV_PORT_KEPT_BACK_H

#include "port/port.h"
#include "process/signal.h"

#define COST_OF_PORT_SIGNAL 200 /* reductions: nearly all are callbacks */

/* Is what he does kept back, as of now? `from`: a pid, or an actor key. */
bool port_keeps_him_back(const Port *port, uint64_t from);
static inline bool port_keeps_back(const Port *port, uint64_t from) {
    return unlikely(port->kept_back != NULL) && port_keeps_him_back(port, from);
}
/* Until the port is free; behind what its sender has in the list; the same, but not where the port is busy again: then
 * it is handled at once, and does nothing. */
typedef enum { KEPT_UNTIL_FREE, KEPT_BEHIND, KEPT_UNLESS_BUSY } KeptAs;
/* The signal is the list's, which gives it to the port's `handle` again. */
void port_keep_back(Port *port, uint64_t from, Signal *signal, KeptAs as);
/* In what is handled now: was it kept back? */
bool port_has_kept_back(const Port *port);
/* Handles what can go on: all, when the port is closing. False: the slice is over. */
must_check bool port_kept_back_goes_on(Port *port);

#endif
