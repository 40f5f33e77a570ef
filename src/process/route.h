/*
 * Where a message goes that is not for a process of this node: the routing table by kind of destination.
 *
 * port/ and distribution/ fill in their entries at start (init/). A kind with no entry has no such destinations: there
 * are no open ports, and no other node can be reached; a message to one is lost, as a message to a process that has
 * ended. Contract of an entry: called on the sender's thread, no lock held, may build in its area, must not collect. It
 * returns the message, or NON_VALUE with p->fail set (badarg; a trap when the sender has to wait; or it returns the
 * message in his next slice).
 */
#ifndef VIV_PROCESS_ROUTE_H
#define VIV_PROCESS_ROUTE_H

#include "process/process.h"

typedef Term RouteFunction(Process *p, Term destination, Term message);
typedef struct {
    RouteFunction *port;   /* local port */
    RouteFunction *remote; /* external pid or reference, {Name, Node} */
    /* Bytes for a local port from native code, as port/command.h has it. */
    bool (*port_bytes)(Term from, Term port, Term data);
} Routes;
extern Routes routes;

/* A sender who has to wait traps to a function of three arguments: destination, message, and what is returned then. */
#define SEND_TRAP_RESULT 2

static inline Term route_send(Process *p, Term destination, Term message) {
    RouteFunction *f = is_local_port(destination) ? routes.port : routes.remote;
    return f ? f(p, destination, message) : message;
}

#endif
