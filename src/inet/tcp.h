/*
 * The driver `tcp_inet`: streams. Source: kernel's prim_inet and gen_tcp(3), and what the stock runtime does.
 *
 * What comes is read into one buffer, where [start, end) has not been delivered. What is read is delivered at once when
 * somebody waits for it or the socket is active; a passive one reads nothing that nobody waits for.
 *
 * What is sent is written at once, and what the system does not take is the port's queue. A sender that finds the queue
 * at its high mark gets his answer when it is below the low one; the port is busy meanwhile.
 *
 * The connection's end is told once to whom it concerns. A passive socket has no descriptor then, and the next who
 * wants to send, or to receive, or makes it active, is told so late.
 */
#ifndef VIV_INET_TCP_H
#define VIV_INET_TCP_H

#include "inet/sender.h"
#include "process/key_table.h"

struct TcpAcceptor;
struct TcpFile;

typedef struct {
    Inet inet; /* must be first */
    /* what comes */
    RefcBinary *buffer; /* NULL: nothing is in it */
    size_t start, end;
    size_t wanted;      /* bytes, by who waits for a number of them; 0: any */
    unsigned may_tell;  /* packets that may still be told in this turn: the rest is for the next */
    bool in_headers;    /* of HTTP */
    bool is_over;       /* its end was found, or no packet: nothing is read until somebody asks for more */
    /* what goes */
    int32_t high, low;  /* marks of the queue */
    int32_t send_timeout; /* milliseconds; -1: none */
    int32_t closes_after_timeout;
    bool delays;        /* what is sent is written a little later */
    bool shuts_when_written;
    bool gathers;       /* what is queued is written with what follows at once (port/port.h, more_follows) */
    InetSender blocked; /* who waits for the queue */
    struct InetTimer *blocked_timer; /* that ends this; NULL: there is none */
    struct TcpFile *file; /* that is being sent; NULL: none */
    /* the end */
    Term late_send, late_receive; /* what the next one is told; NON_VALUE: nothing special */
    Term late_error;              /* the same who makes it active, beside that it is closed */
    bool closed_is_told;
    /* new ones */
    struct TcpAcceptor *acceptors, **acceptors_end; /* first come, first served */
    KeyTable acceptors_watched; /* the same, by the key of the monitor of each (port/watch.h) */
} Tcp;

extern const ErlDrvEntry tcp_driver;

static inline Tcp *tcp_of(Inet *d) { return (Tcp *)d; }
static inline bool tcp_is(const Tcp *t, unsigned state) { return (t->inet.state & state) != 0; }

#endif
