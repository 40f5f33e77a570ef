#include "inet/tcp_send.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "inet/statistics.h"
#include "inet/subscribe.h"
#include "inet/tcp_close.h"
#include "inet/tcp_file.h"
#include "inet/tell.h"
#include "inet/timers.h"
#include "term/atom.h"

static ErlDrvPort port(const Tcp *t) { return t->inet.port; }
static size_t queued(const Tcp *t) { return driver_sizeq(port(t)); }

/* --- who waits for the queue -------------------------------------------------------------------------------------- */

static void unblock(Tcp *t, Term result) {
    t->inet.state &= ~(unsigned)INET_BUSY;
    set_busy_port(port(t), 0);
    if (is_value(t->blocked.pid))
        inet_tell_reply(&t->inet, &t->blocked, result);
}

static void send_due(Inet *d, uint64_t key) {
    Tcp *t = tcp_of(d);
    t->blocked_timer = NULL;
    unblock(t, am_timeout);
    if (!t->closes_after_timeout || t->send_timeout == 0) /* as on the stock runtime */
        return;
    tcp_send_failed(t, am_closed);
    t->late_receive = NON_VALUE;
}

/* The sender is answered when there is room again. */
static void block(Tcp *t, InetSender *sender) {
    if (is_value(t->blocked.pid)) {
        inet_tell_reply(&t->inet, sender, am_ok);
        return;
    }
    t->blocked = *sender;
    t->inet.state |= INET_BUSY;
    set_busy_port(port(t), 1);
    if (t->send_timeout < 0)
        return;
    tcp_sender_in_time(t); /* a peer, who waits for no answer, may come again */
    t->blocked_timer = inet_timer_set(&t->inet, (uint32_t)t->send_timeout, send_due, 0);
}

static void unblock_if_free(Tcp *t) {
    if (!(t->inet.state & INET_BUSY) || queued(t) > (size_t)t->low)
        return;
    tcp_sender_in_time(t);
    unblock(t, am_ok);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* Bytes written; 0: none can be now; -1: *error says why. */
static ssize_t write_some(const Tcp *t, SysIOVec *iov, int count, Term *error) {
    struct msghdr message = {.msg_iov = (struct iovec *)iov, .msg_iovlen = (size_t)(count < IOV_MAX ? count : IOV_MAX)};
    ssize_t written = sendmsg(t->inet.fd, &message, MSG_NOSIGNAL);
    if (written >= 0)
        return written;
    *error = tcp_error(t, errno);
    return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

/* How many bytes of length stand before a packet. */
static unsigned header_size(const Tcp *t) {
    static const unsigned sizes[] = {0, 1, 2, 4};
    uint32_t packet = (uint32_t)t->inet.packet;
    return packet < array_length(sizes) ? sizes[packet] : 0;
}

/* Into the free place in front. */
static void put_header(const Tcp *t, ErlIOVec *v, uint8_t header[4]) {
    unsigned size = header_size(t);
    for (unsigned i = 0; i < size; i++)
        header[i] = (uint8_t)(v->size >> 8 * (size - 1 - i));
    v->iov[0] = (SysIOVec){(char *)header, size};
    v->size += size;
}

/* From byte `skip` on. */
static void queue(Tcp *t, ErlIOVec *v, size_t skip) {
    (void)driver_enqv(port(t), v, skip);
    inet_select(&t->inet, ERL_DRV_WRITE);
}

static void send_behind(Tcp *t, ErlIOVec *v, InetSender *sender) {
    if (t->gathers)
        (void)driver_enqv(port(t), v, 0); /* it is written at once */
    else
        queue(t, v, 0);
    if (queued(t) >= (size_t)t->high)
        block(t, sender);
    else
        inet_tell_reply(&t->inet, sender, am_ok);
}

/* Who sends next hears of it once more if he was to hear that it is closed; an owner who makes it active if he does not
 * know yet. */
static void keep_for_later(Tcp *t, Term error) {
    if (is_value(t->late_send))
        t->late_send = error;
    if (t->inet.active == INET_PASSIVE && error != am_closed && !t->is_over)
        t->late_error = error;
}

static void fail(Tcp *t, InetSender *sender, Term error) {
    keep_for_later(t, error);
    tcp_send_failed(t, error);
    inet_tell_reply(&t->inet, sender, error);
}

static void send_now(Tcp *t, ErlIOVec *v, InetSender *sender) {
    Term error;
    ssize_t written = t->delays || v->size == 0 ? 0 : write_some(t, v->iov, v->vsize, &error);
    if (written < 0) {
        fail(t, sender, error);
        return;
    }
    if ((size_t)written < v->size)
        queue(t, v, (size_t)written);
    inet_tell_reply(&t->inet, sender, am_ok);
}

static void refuse(Tcp *t, InetSender *sender) {
    Term late = t->late_send;
    t->late_send = NON_VALUE;
    if (is_value(late) && late != am_closed)
        t->late_error = NON_VALUE;
    inet_tell_reply(&t->inet, sender, is_value(late) ? late : am_enotconn);
}

/* --- writing what is queued --------------------------------------------------------------------------------------- */

static void all_is_written(Tcp *t) {
    inet_queue_is_empty(&t->inet);
    if (t->file != NULL)
        return;
    inet_deselect(&t->inet, ERL_DRV_WRITE);
    if (t->shuts_when_written)
        (void)shutdown(t->inet.fd, SHUT_WR);
    t->shuts_when_written = false;
}

#define PARTS 64

/* As many parts as hold the first bytes. */
static int first_parts(const SysIOVec *from, int count, size_t bytes, SysIOVec parts[PARTS]) {
    int n = 0;
    for (; n < count && n < PARTS && bytes > 0; n++) {
        parts[n] = from[n];
        if (parts[n].iov_len > bytes)
            parts[n].iov_len = bytes;
        bytes -= parts[n].iov_len;
    }
    return n;
}

/* Up to a file's place. */
static Term write_queue(Tcp *t) {
    int count;
    Term error = am_ok;
    SysIOVec parts[PARTS], *iov = driver_peekq(port(t), &count);
    ssize_t written = write_some(t, parts, first_parts(iov, count, tcp_file_turn(t), parts), &error);
    if (written < 0)
        return error;
    (void)driver_deq(port(t), (ErlDrvSizeT)written);
    tcp_file_approach(t, (size_t)written);
    unblock_if_free(t);
    return am_ok;
}

static Term write_file(Tcp *t) {
    int error = tcp_file_write(t);
    return error == 0 ? am_ok : tcp_error(t, error);
}

void tcp_send_ready(Tcp *t) {
    Term result = tcp_file_turn(t) == 0 ? write_file(t) : queued(t) > 0 ? write_queue(t) : am_ok;
    if (result != am_ok) {
        if (t->inet.active == INET_PASSIVE && !is_value(t->blocked.pid)) { /* nobody waits to hear of it */
            t->late_send = result;
            keep_for_later(t, result);
        }
        tcp_send_failed(t, result);
    } else if (queued(t) == 0) {
        all_is_written(t);
    }
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* More follows at once: it is all written together. */
static bool may_gather(const Tcp *t, const ErlIOVec *v) {
    bool rests = t->file == NULL && !(t->inet.state & INET_BUSY) && (t->gathers || queued(t) == 0);
    return ((const Port *)t->inet.port)->more_follows && rests && queued(t) + v->size < (size_t)t->high;
}

#define WRITES_AT_ONCE 8

static void write_gathered(Tcp *t) {
    t->gathers = false;
    for (int i = 0; i < WRITES_AT_ONCE && queued(t) > 0 && tcp_is(t, INET_CONNECTED); i++)
        tcp_send_ready(t);
    if (queued(t) > 0 && tcp_is(t, INET_CONNECTED))
        inet_select(&t->inet, ERL_DRV_WRITE);
}

static void send_connected(Tcp *t, ErlIOVec *v, InetSender *sender) {
    if (unlikely(may_gather(t, v))) {
        (void)driver_enqv(port(t), v, 0);
        t->gathers = true;
    } else if (unlikely(t->gathers)) {
        send_behind(t, v, sender);
        write_gathered(t);
    } else if (unlikely(t->shuts_when_written)) { /* what is queued is lost, as on the stock runtime */
        fail(t, sender, tcp_error(t, EPIPE));
    } else if (queued(t) > 0 || t->file != NULL || (t->inet.state & INET_BUSY)) {
        send_behind(t, v, sender);
    } else {
        send_now(t, v, sender);
    }
}

void tcp_send(Tcp *t, ErlIOVec *v) {
    uint8_t header[4];
    InetSender sender;
    if (!inet_sender_take(&t->inet, v, &sender)) {
        (void)driver_failure_posix(port(t), EINVAL);
        return;
    }
    if (!tcp_is(t, INET_CONNECTED)) {
        refuse(t, &sender);
        return;
    }
    put_header(t, v, header);
    inet_count(&t->inet.out, v->size);
    send_connected(t, v, &sender);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

Term tcp_shutdown(Inet *d, Reader *r, Text *answer) {
    Tcp *t = tcp_of(d);
    if (!tcp_is(t, INET_CONNECTED))
        return am_enotconn;
    unsigned how = reader_u8(r);
    if (r->bad || reader_left(r) > 0)
        return am_einval;
    if (queued(t) > 0 && how != SHUT_RD) {
        t->shuts_when_written = true;
        how = how == SHUT_RDWR ? SHUT_RD : how;
        if (how == SHUT_WR)
            return am_ok;
    }
    return shutdown(d->fd, (int)how) == 0 ? am_ok : inet_error(errno);
}

static bool lingers_not(const Tcp *t) {
    struct linger l = {0};
    socklen_t size = sizeof l;
    return getsockopt(t->inet.fd, SOL_SOCKET, SO_LINGER, &l, &size) == 0 && l.l_onoff && l.l_linger == 0;
}

/* With nothing queued: the runtime ends. While a file is sent all is dropped, as on the stock runtime: it would not be
 * whole. */
void tcp_flush(Tcp *t) {
    if (t->gathers && tcp_is(t, INET_CONNECTED))
        write_gathered(t); /* what was to follow is not taken any more */
    if (queued(t) == 0)
        tcp_close(t);
    else if (t->file != NULL || !tcp_is(t, INET_CONNECTED) || lingers_not(t))
        (void)driver_deq(port(t), queued(t));
    else
        inet_deselect(&t->inet, ERL_DRV_READ);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

#define SENDFILE_BYTES (sizeof(int) + 2 * sizeof(int64_t))

Term tcp_sendfile(Inet *d, Reader *r, Text *answer) {
    Tcp *t = tcp_of(d);
    int fd;
    if (reader_left(r) != SENDFILE_BYTES)
        return am_einval;
    memcpy(&fd, reader_take(r, sizeof fd), sizeof fd);
    int64_t offset = (int64_t)reader_u64(r), size = (int64_t)reader_u64(r);
    if (!tcp_is(t, INET_CONNECTED))
        return am_enotconn;
    if (offset < 0 || size < 0 || t->file != NULL)
        return am_einval;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return inet_error(errno);
    tcp_file_begin(t, own, offset, size);
    inet_select(d, ERL_DRV_WRITE);
    return am_ok;
}
