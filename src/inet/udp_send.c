#include "inet/udp_send.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "alloc/alloc.h"
#include "inet/address.h"
#include "inet/control_message.h"
#include "inet/sender.h"
#include "inet/statistics.h"
#include "term/atom.h"

/* --- what stands in front ----------------------------------------------------------------------------------------- */

#define ADDRESS_MAX 260 /* a family, a size and so many bytes */

/* The first bytes, which stay where they are. How many there are. */
static size_t peek(const ErlIOVec *v, uint8_t *to, size_t most) {
    size_t size = 0;
    for (int i = 0; i < v->vsize && size < most; i++) {
        const SysIOVec *part = &v->iov[i];
        size_t bytes = part->iov_len < most - size ? part->iov_len : most - size;
        if (bytes > 0)
            memcpy(to + size, part->iov_base, bytes);
        size += bytes;
    }
    return size;
}

static Term take_address(const Inet *d, ErlIOVec *v, InetAddress *to) {
    uint8_t bytes[ADDRESS_MAX];
    size_t size = peek(v, bytes, sizeof bytes);
    Reader r = reader_make(bytes, size);
    if (size > 0 && (bytes[0] < FAMILY_INET || bytes[0] > FAMILY_LOCAL))
        return inet_error(EAFNOSUPPORT);
    Term result = inet_address_take(d, &r, to);
    if (result == am_ok)
        inet_take_bytes(v, bytes, (size_t)(r.at - bytes));
    return result;
}

/* Options, with their size in front, as control messages. */
static Term take_options(ErlIOVec *v, Text *controls) {
    uint8_t bytes[sizeof(uint32_t)];
    TEXT(options);
    if (v->size < sizeof bytes)
        return am_einval;
    inet_take_bytes(v, bytes, sizeof bytes);
    Reader of_size = reader_make(bytes, sizeof bytes);
    size_t size = reader_u32(&of_size);
    if (size > v->size)
        return am_einval;
    inet_take_bytes(v, text_extend(&options, size), size);
    Reader r = reader_make((const uint8_t *)options.bytes, size);
    return inet_control_messages_take(&r, controls);
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* One part without controls is what the system is quickest with. */
static ssize_t send_now(const Inet *d, const struct msghdr *m) {
    if (m->msg_iovlen == 1 && m->msg_controllen == 0)
        return sendto(d->fd, m->msg_iov->iov_base, m->msg_iov->iov_len, MSG_NOSIGNAL, m->msg_name, m->msg_namelen);
    return sendmsg(d->fd, m, MSG_NOSIGNAL);
}

static Term send_message(const Inet *d, const struct msghdr *message) {
    ssize_t sent;
    do
        sent = send_now(d, message);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? inet_error(errno) : am_ok;
}

/* A packet goes at once, of however many parts it is. */
static Term send_joined(const Inet *d, ErlIOVec *v, struct msghdr *message) {
    size_t size = v->size;
    uint8_t *bytes = mem_try_alloc(ALLOC_TEMP, size + 1);
    if (bytes == NULL)
        return am_enomem;
    inet_take_bytes(v, bytes, size);
    struct iovec part = {bytes, size};
    message->msg_iov = &part;
    message->msg_iovlen = 1;
    Term result = send_message(d, message);
    mem_free(ALLOC_TEMP, bytes);
    return result;
}

/* In front, whose bytes were taken, and behind. */
static void drop_empty_parts(struct msghdr *m) {
    while (m->msg_iovlen > 1 && m->msg_iov->iov_len == 0) {
        m->msg_iov++;
        m->msg_iovlen--;
    }
    while (m->msg_iovlen > 1 && m->msg_iov[m->msg_iovlen - 1].iov_len == 0)
        m->msg_iovlen--;
}

static Term send_packet(Inet *d, ErlIOVec *v, InetAddress *to, const Text *controls) {
    struct msghdr message = {.msg_iov = (struct iovec *)v->iov, .msg_iovlen = (size_t)v->vsize};
    drop_empty_parts(&message);
    if (!(d->state & INET_CONNECTED)) {
        message.msg_name = &to->storage;
        message.msg_namelen = to->size;
    }
    if (controls->size > 0) {
        message.msg_control = controls->bytes;
        message.msg_controllen = controls->size;
    }
    inet_count(&d->out, v->size);
    return message.msg_iovlen > IOV_MAX ? send_joined(d, v, &message) : send_message(d, &message);
}

static Term send_it(Inet *d, ErlIOVec *v) {
    InetAddress to;
    TEXT(controls);
    Term result = d->fd >= 0 ? take_address(d, v, &to) : am_einval;
    if (result == am_ok)
        result = take_options(v, &controls);
    return result == am_ok ? send_packet(d, v, &to, &controls) : result;
}

void udp_send(Inet *d, ErlIOVec *v) {
    InetSender sender;
    if (inet_sender_take(d, v, &sender))
        inet_tell_reply(d, &sender, send_it(d, v));
    else
        (void)driver_failure_posix(d->port, EINVAL);
}
