#include "inet/tcp_connect.h"

#include <errno.h>

#include "inet/address.h"
#include "inet/tcp_close.h"
#include "inet/tcp_receive.h"
#include "inet/tell.h"
#include "inet/timers.h"
#include "sys/release.h"
#include "term/atom.h"

/* Nobody waits where it was told at once. */
static void is_connected(Tcp *t) {
    t->inet.state = (t->inet.state & ~(unsigned)INET_CONNECTS) | INET_CONNECTED;
    inet_wait_end(&t->inet, am_ok);
    tcp_receive_now(t);
}

static void is_refused(Tcp *t, Term reason) {
    t->inet.state &= ~(unsigned)INET_CONNECTS;
    inet_wait_end(&t->inet, reason);
}

static void connect_due(Inet *d, uint64_t key) {
    d->wait.timer = NULL;
    inet_wait_end(d, am_timeout);
    tcp_close(tcp_of(d));
}

void tcp_connect_ready(Tcp *t) {
    int error = 0;
    socklen_t size = sizeof error;
    inet_deselect(&t->inet, ERL_DRV_WRITE);
    if (getsockopt(t->inet.fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    if (error == 0)
        is_connected(t);
    else
        is_refused(t, inet_error(error));
}

static void wait_for_it(Tcp *t, uint32_t timeout, Text *answer) {
    Inet *d = &t->inet;
    inet_wait_begin(d, REQUEST_CONNECT, answer);
    d->state |= INET_CONNECTS;
    inet_select(d, ERL_DRV_WRITE);
    if (timeout != UINT32_MAX)
        d->wait.timer = inet_timer_set(d, timeout, connect_due, 0);
}

static Term refuse(const Inet *d) {
    if (d->fd < 0)
        return am_exbadport;
    if (d->state & (INET_CONNECTED | INET_LISTENS))
        return inet_error(EISCONN);
    return d->state & INET_CONNECTS ? am_einval : am_ok;
}

Term tcp_connect(Inet *d, Reader *r, Text *answer) {
    Tcp *t = tcp_of(d);
    InetAddress a;
    Term result = refuse(d);
    if (result != am_ok)
        return result;
    uint32_t timeout = reader_u32(r);
    result = r->bad ? am_einval : inet_address_take(d, r, &a);
    if (result != am_ok)
        return result;
    if (connect(d->fd, &a.any, a.size) == 0) {
        if (!release_has(RELEASE_CONNECTED_AT_ONCE))
            inet_wait_begin(d, REQUEST_CONNECT, answer);
        is_connected(t);
    } else if (errno == EINPROGRESS) {
        wait_for_it(t, timeout, answer);
    } else {
        return inet_error(errno);
    }
    return am_ok;
}
