/* Sending. Who could send only a part waits, and is told how much it was; the module socket sends the rest. */
#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "alloc/alloc.h"
#include "bif/socket/native.h"
#include "bif_table.h"
#include "socket/address.h"
#include "socket/control.h"
#include "term/bits.h"

/* --- Bytes --- */

static Term send_bytes(Process *p, Socket *s, const NativeBytes *b, int flags, const SocketAddress *to,
                       Term reference) {
    mutex_lock(&s->write_lock);
    Term result;
    if (socket_may_write(p, s, reference, &result)) {
        socket_count(s, &s->write.tries, 1, am_write_tries);
        ssize_t count = to != NULL ? sendto(s->fd, b->bytes, b->count, flags | MSG_NOSIGNAL, &to->any, to->size)
                                   : send(s->fd, b->bytes, b->count, flags | MSG_NOSIGNAL);
        result = count < 0 ? socket_write_failed(p, s, reference, errno)
                           : socket_has_written(p, s, reference, (size_t)count, b->count, true);
    }
    mutex_unlock(&s->write_lock);
    return result;
}

Term prim_socket_send(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    int flags;
    NativeBytes b;
    if (!socket_int_from(a[2], &flags))
        return socket_bad_number(p, a[2]);
    if (!is_ref(a[3]) || !socket_bytes_from(a[1], &b))
        return native_badarg(p);
    Term result = send_bytes(p, s, &b, flags, NULL, a[3]);
    native_bytes_release(&b);
    return result;
}

Term prim_socket_sendto(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    int flags;
    NativeBytes b;
    SocketAddress to;
    if (!socket_int_from(a[3], &flags))
        return socket_bad_number(p, a[3]);
    if (!is_ref(a[4]))
        return native_badarg(p);
    if (!socket_address_from(a[2], &to))
        return socket_invalid(p, am_sockaddr);
    if (!socket_bytes_from(a[1], &b))
        return native_badarg(p);
    Term result = send_bytes(p, s, &b, flags, to.size > 0 ? &to : NULL, a[4]);
    native_bytes_release(&b);
    return result;
}

/* --- Messages --- */

typedef struct {
    struct msghdr header;
    SocketAddress to;
    size_t bytes, copies;
    bool has_rest; /* there are more parts than one call takes */
    struct iovec parts[IOV_MAX];
    uint8_t *copied[IOV_MAX];
} Outgoing;

static void outgoing_free(Outgoing *out) {
    for (size_t i = 0; i < out->copies; i++)
        mem_free(ALLOC_TEMP, out->copied[i]);
    mem_free(ALLOC_TEMP, out->header.msg_control);
    mem_free(ALLOC_TEMP, out);
}

/* Less than a byte is nothing. */
static bool add_part(Outgoing *out, Term binary) {
    if (is_bitstring(binary) && bits_size(binary) < 8)
        return true;
    if (!is_binary(binary))
        return false;
    size_t count;
    const uint8_t *bytes = binary_bytes(binary, &count, &out->copied[out->copies]);
    out->copies += out->copied[out->copies] != NULL;
    out->parts[out->header.msg_iovlen++] = (struct iovec){(void *)(uintptr_t)bytes, count};
    out->bytes += count;
    return true;
}

/* A datagram goes as a whole or not at all. */
static bool add_parts(Outgoing *out, Term list, int type) {
    for (; is_list(list) && out->header.msg_iovlen < IOV_MAX; list = list_tail(list))
        if (!add_part(out, list_head(list)))
            return false;
    out->has_rest = is_list(list);
    return is_nil(list) || (out->has_rest && type == SOCK_STREAM);
}

static bool add_address(Outgoing *out, Term map) {
    Term address = socket_map_value(map, am_addr);
    if (!is_value(address))
        return true;
    if (!socket_address_from(address, &out->to))
        return false;
    out->header.msg_name = out->to.bytes;
    out->header.msg_namelen = out->to.size;
    return true;
}

/* NON_VALUE, or what is wrong with it; am_enomem: there is no such room. */
static Term add_control(Outgoing *out, Term map, size_t room) {
    Term list = socket_map_value(map, am_ctrl);
    if (!is_value(list) || is_nil(list))
        return NON_VALUE;
    out->header.msg_control = mem_try_calloc(ALLOC_TEMP, room);
    if (out->header.msg_control == NULL)
        return am_enomem;
    out->header.msg_controllen = room;
    return socket_control_from(list, &out->header) ? NON_VALUE : am_ctrl;
}

/* What is wrong with it, or NON_VALUE. */
static Term outgoing_fill(Outgoing *out, const Socket *s, size_t control_room, Term map, Term parts) {
    out->header.msg_iov = out->parts;
    return !add_address(out, map)            ? am_addr
           : !add_parts(out, parts, s->type) ? am_iov
                                             : add_control(out, map, control_room);
}

static Term refused(Process *p, Term wrong) {
    return wrong == am_enomem ? native_posix(p, ENOMEM) : socket_invalid(p, wrong);
}

static Term has_sent(Process *p, Socket *s, const Outgoing *out, size_t count, Term reference) {
    Term result = socket_has_written(p, s, reference, count, out->bytes, !out->has_rest);
    if (result == am_ok && out->has_rest)
        return area_tuple2(process_area(p), am_iov, small_make((SWord)count));
    return result;
}

static Term send_message(Process *p, Socket *s, const Outgoing *out, int flags, Term reference) {
    mutex_lock(&s->write_lock);
    Term result;
    if (socket_may_write(p, s, reference, &result)) {
        socket_count(s, &s->write.tries, 1, am_write_tries);
        ssize_t count = sendmsg(s->fd, &out->header, flags | MSG_NOSIGNAL);
        result =
            count < 0 ? socket_write_failed(p, s, reference, errno) : has_sent(p, s, out, (size_t)count, reference);
    }
    mutex_unlock(&s->write_lock);
    return result;
}

static size_t control_room(Socket *s) {
    mutex_lock(&s->write_lock);
    size_t room = s->write_control_room;
    mutex_unlock(&s->write_lock);
    return room;
}

/* sendmsg(Socket, Message, Flags, Reference, Parts) */
Term prim_socket_sendmsg(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    int flags;
    if (!socket_int_from(a[2], &flags))
        return socket_bad_number(p, a[2]);
    if (!is_ref(a[3]))
        return native_badarg(p);
    Outgoing *out = mem_alloc(ALLOC_TEMP, sizeof *out);
    out->header = (struct msghdr){0};
    out->bytes = out->copies = 0;
    Term wrong = outgoing_fill(out, s, control_room(s), a[1], a[4]);
    Term result = is_value(wrong) ? refused(p, wrong) : send_message(p, s, out, flags, a[3]);
    outgoing_free(out);
    return result;
}
