/*
 * How connections come to be. Kernel's net_kernel makes them (net_kernel(3), dist_util): it is asked to by whoever
 * wants something of a node that has none, or asks for one itself; in both cases there is a channel that is pending,
 * and known by its handle, until it is brought up or given up. Any thread that may look pids up, no lock held.
 */
#ifndef VIV_DISTRIBUTION_CONNECT_H
#define VIV_DISTRIBUTION_CONNECT_H

#include "distribution/channel.h"

/* The channel to that node, pending if there was none; held for the caller. NULL: it is no node that there could be a
 * connection to: this one, or no name. */
Channel *connect_pending(Term node, bool *is_new);
/* The same by net_kernel itself, which may connect before it has a name: that is given it by the other. */
Channel *connect_by_kernel(Term node);
/* The same for who wants something of it now: net_kernel is asked to connect if it is new. NULL also where this node is
 * not alive. */
Channel *connect_wanted(Term node);
/* The one that is there, held, or NULL. */
Channel *connect_there(Term node);

/* A channel before this one still tells who had ties: p's request is answered when it has told all. By a BIF that may
 * wait. */
must_check bool connect_must_wait(Channel *c, Process *p);
/* From now on it is up, and `controller` gives and takes its bytes: a process, or a port, which is run by the caller
 * and has no peer. net_kernel is told so, for the process `setup`, which has made the connection. False: it is up, or
 * lost; nothing has changed. */
must_check bool connect_up(Channel *c, uint64_t capabilities, uint32_t creation, Term controller, Term setup);

#endif
