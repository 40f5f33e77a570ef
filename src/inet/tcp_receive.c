#include "inet/tcp_receive.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "inet/tcp_close.h"
#include "inet/tcp_deliver.h"
#include "inet/tell.h"
#include "inet/timers.h"
#include "term/atom.h"

#define LONGEST INET_BUFFER_MAX
/* In one turn of the port: what is more is for another, and others have theirs between them. */
#define READS_AT_ONCE 16
#define BYTES_AT_ONCE (1024 * 1024) /* nor does one read copy more */
#define PACKETS_AT_ONCE 500

/* --- the buffer --------------------------------------------------------------------------------------------------- */

static void drop_buffer(Tcp *t) {
    if (t->buffer != NULL)
        refc_binary_release(t->buffer);
    t->buffer = NULL;
    t->start = t->end = 0;
}

/* With what is left of the old one, from `place` on. False: there is no memory. */
static bool replace_buffer(Tcp *t, size_t capacity, size_t place) {
    RefcBinary *b = refc_binary_try_create(capacity);
    if (b == NULL)
        return false;
    size_t left = t->end - t->start;
    if (left > 0)
        memcpy(b->bytes + place, t->buffer->bytes + t->start, left);
    drop_buffer(t);
    t->buffer = b;
    t->start = place;
    t->end = place + left;
    return true;
}

static size_t max_of(size_t a, size_t b) { return a > b ? a : b; }

/* How large a new buffer is to be. Where it is not known how much is to come it grows by what is there, so that the
 * whole is not copied each time. */
static size_t new_size(const Tcp *t, size_t total, size_t there) {
    size_t usual = t->inet.buffer_size < INET_BUFFER_MAX ? t->inet.buffer_size : INET_BUFFER_MAX;
    size_t size = total > there ? total : 2 * there + 1;
    return t->wanted == 0 ? max_of(size, usual) : size;
}

/* Room for so many bytes in all, and for some in any case. Bytes that a term shows stay as they are. */
static bool make_room(Tcp *t, size_t total) {
    size_t there = t->end - t->start, least = max_of(total, there + 1), size = new_size(t, total, there);
    if (t->buffer == NULL)
        return replace_buffer(t, size, 0);
    if (t->start == t->end && refc_binary_is_sole(t->buffer))
        t->start = t->end = 0;
    if (t->buffer->size - t->start >= least)
        return true;
    if (!refc_binary_is_sole(t->buffer) || t->buffer->size < size)
        return replace_buffer(t, size, 0);
    memmove(t->buffer->bytes, t->buffer->bytes + t->start, t->end - t->start);
    t->end -= t->start;
    t->start = 0;
    return true;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Who wants a number of bytes gets those: what follows is left to the system, if it is not to be read at once. */
static size_t room_to_read(const Tcp *t, size_t total) {
    size_t room = t->buffer->size - t->end, there = t->end - t->start;
    size_t missing = total > there ? total - there : t->inet.reads_ahead || t->inet.packet == 0 ? room : 1;
    if ((t->wanted != 0 || !t->inet.reads_ahead) && missing < room)
        room = missing;
    return room < BYTES_AT_ONCE ? room : BYTES_AT_ONCE;
}

/* Bytes read; 0: none now, or the end was found. *more: there may be some more at once. */
static size_t read_some(Tcp *t, size_t total, bool *more) {
    size_t room = room_to_read(t, total);
    ssize_t size = recv(t->inet.fd, t->buffer->bytes + t->end, room, 0);
    *more = size == (ssize_t)room;
    if (size > 0) {
        t->end += (size_t)size;
        return (size_t)size;
    }
    if (size == 0)
        tcp_receive_failed(t, am_closed);
    else if (errno != EAGAIN && errno != EINTR)
        tcp_receive_failed(t, tcp_error(t, errno));
    return 0;
}

/* True: something was read, so many bytes more, and there may be more that somebody wants now. */
static bool read_and_deliver(Tcp *t, size_t *total, size_t *bytes) {
    bool more;
    size_t size;
    if (!make_room(t, *total)) {
        tcp_receive_failed(t, am_enomem);
        return false;
    }
    if ((size = read_some(t, *total, &more)) == 0)
        return false;
    *bytes += size;
    Term result = tcp_deliver(t, total);
    if (result != am_ok)
        tcp_receive_failed(t, result);
    return result == am_ok && more && t->inet.fd >= 0 && tcp_is_wanted(t) && t->may_tell > 0;
}

/* An empty buffer of a socket that nobody waits for is memory for nothing. */
static void rest(Tcp *t) {
    if (t->buffer != NULL && t->start == t->end)
        drop_buffer(t);
}

static void read_all(Tcp *t) {
    size_t total = 0, bytes = 0;
    t->may_tell = t->inet.ignores_fd ? UINT_MAX : PACKETS_AT_ONCE; /* there is another turn only where it is watched */
    Term result = tcp_deliver(t, &total);
    if (result != am_ok)
        tcp_receive_failed(t, result);
    else if (tcp_is_wanted(t) && t->may_tell > 0)
        for (int i = 0; i < READS_AT_ONCE && bytes < BYTES_AT_ONCE && read_and_deliver(t, &total, &bytes); i++) {
        }
    rest(t);
}

static void wait_or_not(Tcp *t) {
    if (t->inet.fd < 0)
        return;
    if (tcp_is_wanted(t))
        inet_select(&t->inet, ERL_DRV_READ);
    else
        inet_deselect(&t->inet, ERL_DRV_READ);
    if (t->may_tell == 0 && t->end > t->start)
        inet_read_on(&t->inet);
}

static void read_on(ErlDrvData data) {
    if (tcp_is((Tcp *)data, INET_CONNECTED))
        tcp_receive_now((Tcp *)data);
}

void tcp_receive_now(Tcp *t) {
    PortPeer *peer = ((Port *)t->inet.port)->peer;
    if (unlikely(peer != NULL))
        peer->read_on = read_on;
    read_all(t);
    wait_or_not(t);
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static void receive_due(Inet *d, uint64_t key) {
    tcp_of(d)->wanted = 0;
    d->wait.timer = NULL;
    inet_wait_end(d, am_timeout);
    wait_or_not(tcp_of(d));
}

static void receive(Tcp *t, uint32_t timeout) {
    Inet *d = &t->inet;
    read_all(t);
    if (!inet_is_waited_for(d, REQUEST_TCP_RECEIVE))
        return;
    if (timeout == 0) {
        receive_due(d, 0);
        return;
    }
    if (timeout != UINT32_MAX)
        d->wait.timer = inet_timer_set(d, timeout, receive_due, 0);
    wait_or_not(t);
}

/* Who receives has heard of it for who would send next, or make it active. */
static Term not_connected(Tcp *t) {
    Term late = t->late_receive;
    if (!is_value(late))
        return am_enotconn;
    t->late_receive = t->late_send = t->late_error = NON_VALUE;
    return late;
}

static Term refuse(const Inet *d, bool is_bad, int32_t size) {
    if (is_bad || d->active != INET_PASSIVE || (d->packet != 0 && size != 0))
        return am_einval;
    if (size > LONGEST)
        return am_enomem;
    if (is_value(d->wait.pid))
        return inet_error(EALREADY);
    return size < 0 ? am_einval : am_ok;
}

Term tcp_receive(Inet *d, Reader *r, Text *answer) {
    Tcp *t = tcp_of(d);
    uint32_t timeout = reader_u32(r);
    int32_t size = (int32_t)reader_u32(r);
    if (!tcp_is(t, INET_CONNECTED))
        return not_connected(t);
    Term result = refuse(d, r->bad || reader_left(r) > 0, size);
    if (result != am_ok)
        return result;
    inet_wait_begin(d, REQUEST_TCP_RECEIVE, answer);
    t->wanted = (size_t)size;
    t->is_over = false;
    receive(t, timeout);
    return am_ok;
}

/* Before what was read. */
Term tcp_unreceive(Inet *d, Reader *r, Text *answer) {
    Tcp *t = tcp_of(d);
    size_t size = reader_left(r);
    if (!tcp_is(t, INET_CONNECTED))
        return am_enotconn;
    if (!replace_buffer(t, t->end - t->start + size, size))
        return am_enomem;
    memcpy(t->buffer->bytes, reader_take(r, size), size);
    t->start = 0;
    t->is_over = false;
    tcp_receive_now(t);
    return am_ok;
}
