/*
 * Messages that a socket's port sends: to who waits, to who has sent, to its owner. Source: kernel's prim_inet, what it
 * receives; inet(3), gen_tcp(3).
 *
 * A Result is am_ok, or the reason of an error.
 */
#ifndef VIV_INET_TELL_H
#define VIV_INET_TELL_H

#include "inet/inet.h"

/* {inet_async, Port, Id, ok | {error, Reason}} */
void inet_tell_async(Inet *d, const InetWait *wait, Term result);
/* {inet_async, Port, Id, {ok, Value}}, of an immediate value. */
void inet_tell_async_value(Inet *d, const InetWait *wait, Term value);
/* {What, Port}, and {What, Port, Value} of an immediate value. */
void inet_tell(Inet *d, Term to, Term what);
void inet_tell_value(Inet *d, Term to, Term what, Term value);

/* Who waits by d->wait, if somebody does, is told, and waits no more; or he has been told already. */
void inet_wait_end(Inet *d, Term result);
void inet_wait_over(Inet *d);

struct Message;

/* A message that is built in place, in `words` words and more: {inet_async, ...} or what else there is. */
typedef struct {
    FragmentArea built;
} InetMessage;
Area *inet_message_begin(InetMessage *m, size_t words);
void inet_message_send(Inet *d, InetMessage *m, Term to, Term term);
void inet_message_drop(InetMessage *m);
/* One that was built otherwise. */
void inet_post(struct Message *m, Term to);

static inline Term inet_owner(const Inet *d) { return port_connected((Port *)d->port); }
/* Who asks or sends: in `control` or `outputv`. */
static inline Term inet_caller(const Inet *d) { return ((Port *)d->port)->caller; }

#endif
