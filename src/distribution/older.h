/*
 * What a peer that can do less than this node cannot take: it has an older form, or is not told at all. That is decided
 * when an order's turn has come. Ties of what is not told stay until the connection is lost, as on the stock runtime;
 * only who asks for a process is told, as he waits. Source: ERTS User's Guide, "Distribution Protocol"; answers of
 * OTP 25 (test/cluster/c_old_peer.erl).
 */
#ifndef VIV_DISTRIBUTION_OLDER_H
#define VIV_DISTRIBUTION_OLDER_H

#include "distribution/channel.h"

/* By the channel's thread. The form that it knows. */
void older_form(Channel *c, Control *m);
/* True: it is not to be told, and whoever has to know does. */
must_check bool older_takes_not(Channel *c, const Order *o);

#endif
