#include "inet/udp_receive.h"

#include <errno.h>

#include "alloc/alloc.h"
#include "inet/statistics.h"
#include "inet/tell.h"
#include "inet/timers.h"
#include "inet/udp_deliver.h"
#include "term/atom.h"

#define PACKET_MAX 65536 /* of IP; local ones may be longer */
#define CONTROL_ROOM 1024

static bool is_wanted(const Inet *d) { return inet_is_active(d) || inet_is_waited_for(d, REQUEST_PACKET_RECEIVE); }

/* --- reading ------------------------------------------------------------------------------------------------------ */

static size_t buffer_size(const Inet *d) {
    size_t most = d->domain == AF_LOCAL ? INET_BUFFER_MAX : PACKET_MAX;
    return d->buffer_size < most ? d->buffer_size : most;
}

/* An active socket goes on. */
static void tell_error(Inet *d, Term reason) {
    if (d->active != INET_PASSIVE)
        inet_tell_value(d, inet_owner(d), am_udp_error, reason);
    else
        inet_wait_end(d, reason);
}

static ssize_t receive_with_controls(const Inet *d, UdpPacket *p, size_t room, void *controls) {
    struct iovec part = {p->bytes, room};
    p->message = (struct msghdr){.msg_name = &p->from.storage,
                                 .msg_namelen = sizeof p->from.storage,
                                 .msg_iov = &part,
                                 .msg_iovlen = 1,
                                 .msg_control = controls,
                                 .msg_controllen = CONTROL_ROOM};
    ssize_t size = recvmsg(d->fd, &p->message, 0);
    p->from.size = p->message.msg_namelen;
    p->message.msg_iov = NULL;
    return size;
}

static ssize_t receive(const Inet *d, UdpPacket *p, size_t room, void *controls) {
    p->from.any.sa_family = AF_UNSPEC;
    if (d->controls != 0)
        return receive_with_controls(d, p, room, controls);
    p->message.msg_controllen = 0;
    p->from.size = sizeof p->from.storage;
    return recvfrom(d->fd, p->bytes, room, 0, &p->from.any, &p->from.size);
}

/* False: there is none. What does not fit is lost. */
static bool read_one(Inet *d, char *buffer, size_t room) {
    char controls[CONTROL_ROOM] __attribute__((aligned(8)));
    UdpPacket p;
    p.bytes = (uint8_t *)buffer + UDP_ADDRESS_ROOM;
    ssize_t size = receive(d, &p, room, controls);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (size < 0) {
        tell_error(d, inet_error(errno));
        return true;
    }
    p.size = (size_t)size;
    inet_count(&d->in, p.size);
    udp_deliver(d, &p);
    return true;
}

#define PACKETS_AT_ONCE 500 /* whatever the option says: others have their turns */

/* True: as many as may be read in one turn were there. */
static bool read_some(Inet *d) {
    size_t room = buffer_size(d);
    char *buffer = mem_try_alloc(ALLOC_TEMP, UDP_ADDRESS_ROOM + room);
    int32_t set = ((Udp *)d)->read_packets, left = set < PACKETS_AT_ONCE ? set : PACKETS_AT_ONCE;
    if (buffer == NULL) {
        tell_error(d, am_enomem);
        return false;
    }
    while (left > 0 && is_wanted(d) && read_one(d, buffer, room))
        left--;
    mem_free(ALLOC_TEMP, buffer);
    return left == 0;
}

static void wait_or_not(Inet *d) {
    if (d->fd < 0)
        return;
    if (is_wanted(d))
        inet_select(d, ERL_DRV_READ);
    else
        inet_deselect(d, ERL_DRV_READ);
}

void udp_receive_now(Inet *d) {
    if (is_wanted(d))
        (void)read_some(d);
    wait_or_not(d);
}

void udp_receive_ready(Inet *d) {
    bool may_be_more = is_wanted(d) && read_some(d);
    wait_or_not(d);
    if (may_be_more && is_wanted(d))
        inet_read_on(d);
}

/* --- who waits ---------------------------------------------------------------------------------------------------- */

static void receive_due(Inet *d, uint64_t key) {
    d->wait.timer = NULL;
    inet_wait_end(d, am_timeout);
    wait_or_not(d);
}

static void wait_for_one(Inet *d, uint32_t timeout) {
    if (timeout == 0) {
        receive_due(d, 0);
        return;
    }
    if (timeout != UINT32_MAX)
        d->wait.timer = inet_timer_set(d, timeout, receive_due, 0);
    wait_or_not(d);
}

#define ARGUMENTS (2 * sizeof(uint32_t)) /* a timeout, a length */

Term udp_receive(Inet *d, Reader *r, Text *answer) {
    if (d->fd < 0)
        return am_exbadport;
    if (reader_left(r) != ARGUMENTS || d->active != INET_PASSIVE)
        return am_einval;
    if (is_value(d->wait.pid)) {
        d->last_id++; /* as if it had been given one */
        return inet_error(EALREADY);
    }
    inet_wait_begin(d, REQUEST_PACKET_RECEIVE, answer);
    (void)read_some(d);
    if (is_wanted(d))
        wait_for_one(d, reader_u32(r));
    return am_ok;
}
