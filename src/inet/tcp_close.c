#include "inet/tcp_close.h"

#include <errno.h>

#include "inet/subscribe.h"
#include "inet/tcp_accept.h"
#include "inet/tcp_file.h"
#include "inet/tell.h"
#include "inet/timers.h"
#include "term/atom.h"

/* Who writes to one that is gone is told of a reset as well, where that is asked for. */
Term tcp_error(const Tcp *t, int number) {
    bool is_gone = number == EPIPE || number == ECONNRESET;
    return !is_gone ? inet_error(number) : t->inet.shows_reset ? inet_error(ECONNRESET) : am_closed;
}

static bool is_reset(Term reason) { return reason == inet_error(ECONNRESET); }

static void forget_queue(Tcp *t) {
    ErlDrvPort port = t->inet.port;
    (void)driver_deq(port, driver_sizeq(port));
    inet_queue_is_empty(&t->inet);
}

void tcp_sender_in_time(Tcp *t) { inet_timer_cancel(&t->inet, &t->blocked_timer); }

static void free_sender(Tcp *t) {
    tcp_sender_in_time(t);
    if (t->inet.state & INET_BUSY)
        set_busy_port(t->inet.port, 0);
    if (is_value(t->blocked.pid))
        inet_tell_reply(&t->inet, &t->blocked, am_closed);
}

static void forget_buffer(Tcp *t) {
    if (t->buffer != NULL)
        refc_binary_release(t->buffer);
    t->buffer = NULL;
    t->start = t->end = 0;
}

void tcp_close(Tcp *t) {
    Inet *d = &t->inet;
    if (d->fd < 0)
        return;
    inet_wait_end(d, am_closed);
    tcp_acceptors_end(t);
    tcp_file_end(t, am_closed);
    free_sender(t);
    forget_queue(t);
    forget_buffer(t);
    t->is_over = t->shuts_when_written = false;
    inet_close_fd(d);
}

static void tell_closed(Tcp *t) {
    if (!t->closed_is_told)
        inet_tell(&t->inet, inet_owner(&t->inet), am_tcp_closed);
    t->closed_is_told = true;
}

static void tell_end(Tcp *t, Term reason) {
    if (reason != am_closed)
        inet_tell_value(&t->inet, inet_owner(&t->inet), am_tcp_error, reason);
    tell_closed(t);
}

/* An active one: its owner is told. */
static void end_active(Tcp *t, Term reason, bool stays_open) {
    Inet *d = &t->inet;
    tell_end(t, reason);
    if (d->exits_on_close) {
        tcp_close(t);
        (void)driver_exit(d->port, 0);
    } else if (stays_open) {
        inet_deselect(d, ERL_DRV_READ);
    } else {
        tcp_close(t);
    }
}

/* Who waits until he can send is told, too. */
static void answer_sender(Tcp *t, Term reason) {
    if (is_value(t->blocked.pid))
        inet_tell_reply(&t->inet, &t->blocked, reason);
}

/* It may be written to still, or give its options: if it is to be kept it is. */
void tcp_receive_failed(Tcp *t, Term reason) {
    Inet *d = &t->inet;
    bool stays_open = !d->exits_on_close;
    if (reason == am_closed && !is_value(t->blocked.pid))
        t->late_send = am_closed;
    if (is_reset(reason) && !stays_open)
        answer_sender(t, reason);
    forget_buffer(t);
    t->is_over = true;
    if (d->active != INET_PASSIVE) {
        end_active(t, reason, stays_open);
        return;
    }
    inet_wait_end(d, reason);
    inet_deselect(d, ERL_DRV_READ);
    if (!stays_open)
        tcp_close(t);
}

void tcp_send_failed(Tcp *t, Term reason) {
    answer_sender(t, reason);
    if (t->inet.active != INET_PASSIVE) {
        end_active(t, reason, false);
        return;
    }
    t->late_receive = reason;
    tcp_close(t);
}

void tcp_tell_late(Tcp *t) {
    if (t->closed_is_told)
        return;
    tell_end(t, is_value(t->late_error) ? t->late_error : am_closed);
    t->late_error = NON_VALUE;
    if (t->inet.exits_on_close)
        (void)driver_exit(t->inet.port, 0);
}
