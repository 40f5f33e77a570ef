/* Receiving. What is asked for in one go is at most what there is room for; the module socket asks again. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "bif/socket/native.h"
#include "bif_table.h"
#include "socket/address.h"
#include "socket/control.h"
#include "socket/names.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/refc_binary.h"

#define ON_STACK 8192

/* Room for bytes that come, of which a binary is made. With MSG_TRUNC the system tells how many there were: these
 * may be more than there was room for, and TCP's are put nowhere (recv(2), tcp(7)). */
typedef struct {
    size_t room;
    RefcBinary *large; /* NULL: they lie in `few` */
    uint8_t few[ON_STACK];
} Buffer;

static bool buffer_init(Buffer *b, size_t room) {
    b->room = room;
    b->large = room > ON_STACK ? refc_binary_try_create(room) : NULL;
    return room <= ON_STACK || b->large != NULL;
}

static uint8_t *buffer_bytes(Buffer *b) { return b->large != NULL ? b->large->bytes : b->few; }

static bool drops_bytes(const Socket *s, int flags) {
    return (flags & MSG_TRUNC) != 0 && (s->protocol == IPPROTO_TCP || s->protocol == IPPROTO_MPTCP);
}

/* How many of the buffer are what was received, or zero in its place. */
static size_t bytes_put(const Socket *s, Buffer *b, ssize_t told, int flags) {
    size_t count = (size_t)told < b->room ? (size_t)told : b->room;
    if (drops_bytes(s, flags))
        memset(buffer_bytes(b), 0, count);
    return count;
}

/* The buffer is used up by one of the two. */
static void buffer_drop(Buffer *b) {
    if (b->large != NULL)
        refc_binary_release(b->large);
}

static Term buffer_binary(Buffer *b, Area *area, size_t count) {
    if (b->large != NULL && count > b->room / 2)
        return binary_from_refc(area, b->large, count);
    Term binary = binary_from_bytes(area, buffer_bytes(b), count);
    buffer_drop(b);
    return binary;
}

static bool room_from(Term t, size_t otherwise, size_t *room) {
    uint64_t value;
    if (!is_integer(t) || integer_is_negative(t) || !integer_to_uint64(t, &value))
        return false;
    *room = value == 0 ? otherwise : value;
    return true;
}

/* With a reference one waits, with `zero` not. */
static bool is_waiting(Term reference) { return is_ref(reference) || reference == am_zero; }

static Term wrong_argument(Process *p, Term number) {
    return is_value(number) ? socket_bad_number(p, number) : native_badarg(p);
}

static Term answer(Process *p, Term what, Term value) { return area_tuple2(process_area(p), what, value); }

/* --- recv --- */

static void package_ends(Socket *s, bool is_any) {
    if (s->read.most_now > s->read.most)
        s->read.most = s->read.most_now;
    s->read.most_now = 0;
    if (is_any)
        s->reads_now = 0;
}

/* All that there was room for: there may be more of a stream, which whoever asked for as much as there is gets as well,
 * up to so many buffers. */
static bool is_more(Socket *s, bool is_any) {
    if (!is_any || s->reads_most == 0 || s->type != SOCK_STREAM)
        return false;
    return ++s->reads_now < s->reads_most;
}

static Term received_part(Process *p, Socket *s, Buffer *b, size_t count, Term reference) {
    socket_count(s, &s->read.bytes, count, am_read_byte);
    Term waits = socket_read_failed(p, s, reference, EAGAIN);
    if (waits != am_select) {
        buffer_drop(b);
        return waits;
    }
    return answer(p, am_select, buffer_binary(b, process_area(p), count));
}

static Term received(Process *p, Socket *s, Buffer *b, size_t count, bool is_any, Term reference) {
    bool is_full = count == b->room;
    if (!is_full && !is_any && s->type == SOCK_STREAM && reference != am_zero)
        return received_part(p, s, b, count, reference);
    s->read.most_now += count;
    if (is_full && is_more(s, is_any)) {
        if (s->readers.first == NULL) /* nobody else reads before it has all */
            socket_hold(s, &s->readers, p->pid, reference);
        socket_count(s, &s->read.bytes, count, am_read_byte);
        return answer(p, am_more, buffer_binary(b, process_area(p), count));
    }
    package_ends(s, is_any);
    socket_has_read(p, s, count);
    return answer(p, am_ok, buffer_binary(b, process_area(p), count));
}

/* Others go on waiting. */
static Term no_room(Process *p, Socket *s) {
    socket_count(s, &s->read.fails, 1, am_read_fails);
    socket_through(s, &s->readers, SOCKET_TO_READ, p->pid);
    return native_posix(p, ENOMEM);
}

static Term receive(Process *p, Socket *s, Buffer *b, bool is_any, int flags, Term reference) {
    socket_count(s, &s->read.tries, 1, am_read_tries);
    ssize_t count = recv(s->fd, buffer_bytes(b), b->room, flags);
    int error = count < 0 ? errno : 0;
    if (count > 0 || (count == 0 && s->type != SOCK_STREAM))
        return received(p, s, b, bytes_put(s, b, count, flags), is_any, reference);
    buffer_drop(b);
    if (reference != am_zero || (error != EAGAIN && error != EWOULDBLOCK)) /* else it goes on where it was */
        s->reads_now = 0;
    return socket_read_failed(p, s, reference, error);
}

Term prim_socket_recv(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    size_t room;
    int flags;
    Buffer b;
    Term wrong = !room_from(a[1], 0, &room) ? a[1] : !socket_int_from(a[2], &flags) ? a[2] : NON_VALUE;
    if (is_value(wrong) || !is_waiting(a[3]))
        return wrong_argument(p, wrong);
    bool is_any = room == 0;
    mutex_lock(&s->read_lock);
    Term result;
    if (socket_may_read(p, s, a[3], &result))
        result = buffer_init(&b, is_any ? s->read_room : room) ? receive(p, s, &b, is_any, flags, a[3]) : no_room(p, s);
    mutex_unlock(&s->read_lock);
    return result;
}

/* --- recvfrom and recvmsg --- */

typedef struct {
    struct msghdr header;
    struct iovec part;
    SocketAddress from;
    Buffer data, control;
} Incoming;

static bool incoming_init(Incoming *in, size_t room, size_t control_room) {
    if (!buffer_init(&in->data, room))
        return false;
    if (!buffer_init(&in->control, control_room)) {
        buffer_drop(&in->data);
        return false;
    }
    in->from.any.sa_family = AF_UNSPEC;
    in->part = (struct iovec){buffer_bytes(&in->data), room};
    in->header = (struct msghdr){.msg_name = in->from.bytes,
                                 .msg_namelen = sizeof in->from.storage,
                                 .msg_iov = &in->part,
                                 .msg_iovlen = 1,
                                 .msg_control = control_room != 0 ? buffer_bytes(&in->control) : NULL,
                                 .msg_controllen = control_room};
    return true;
}

static void incoming_drop(Incoming *in) {
    buffer_drop(&in->data);
    buffer_drop(&in->control);
}

static Term from_term(Area *area, Incoming *in) {
    in->from.size = in->header.msg_namelen;
    return socket_address_term(area, &in->from);
}

static Term datagram_term(Area *area, Incoming *in, size_t count) {
    Term from = from_term(area, in);
    buffer_drop(&in->control);
    return area_tuple2(area, from, buffer_binary(&in->data, area, count));
}

static Term flags_term(Area *area, int flags) {
    Term list = NIL;
    size_t count = 0;
    while (is_value(socket_message_flags[count].name))
        count++;
    while (count-- > 0)
        if (flags & socket_message_flags[count].number)
            list = area_cons(area, socket_message_flags[count].name, list);
    return list;
}

static Term message_term(Area *area, Incoming *in, size_t count) {
    Term from = from_term(area, in);
    Term control = socket_control_term(area, &in->header);
    buffer_drop(&in->control);
    Term data = buffer_binary(&in->data, area, count);
    Term pairs[] = {
        am_flags, flags_term(area, in->header.msg_flags), am_iov, area_cons(area, data, NIL), am_ctrl, control, am_addr,
        from};
    return map_from_pairs(area, pairs, in->from.size == 0 ? 3 : 4);
}

typedef Term Form(Area *area, Incoming *in, size_t count);

static Term receive_message(Process *p, Socket *s, Incoming *in, int flags, Term reference, Form *form) {
    socket_count(s, &s->read.tries, 1, am_read_tries);
    ssize_t count = recvmsg(s->fd, &in->header, flags);
    int error = count < 0 ? errno : 0;
    if (count < 0 || (count == 0 && s->type == SOCK_STREAM)) {
        incoming_drop(in);
        return socket_read_failed(p, s, reference, error);
    }
    size_t bytes = bytes_put(s, &in->data, count, flags);
    socket_has_read(p, s, bytes);
    return native_ok(p, form(process_area(p), in, bytes));
}

/* control_room: NULL, where none is wanted. */
static Term receive_with(Process *p, Socket *s, size_t room, const size_t *control_room, int flags, Term reference,
                         Form *form) {
    Incoming in;
    mutex_lock(&s->read_lock);
    size_t data = room != 0 ? room : s->read_room;
    size_t control = control_room == NULL ? 0 : *control_room != 0 ? *control_room : s->read_control_room;
    Term result;
    if (socket_may_read(p, s, reference, &result))
        result = incoming_init(&in, data, control) ? receive_message(p, s, &in, flags, reference, form) : no_room(p, s);
    mutex_unlock(&s->read_lock);
    return result;
}

Term prim_socket_recvfrom(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    size_t room;
    int flags;
    Term wrong = !room_from(a[1], 0, &room) ? a[1] : !socket_int_from(a[2], &flags) ? a[2] : NON_VALUE;
    if (is_value(wrong) || !is_waiting(a[3]))
        return wrong_argument(p, wrong);
    return receive_with(p, s, room, NULL, flags, a[3], datagram_term);
}

Term prim_socket_recvmsg(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    size_t room, control_room;
    int flags;
    Term wrong = !room_from(a[1], 0, &room)           ? a[1]
                 : !room_from(a[2], 0, &control_room) ? a[2]
                 : !socket_int_from(a[3], &flags)     ? a[3]
                                                      : NON_VALUE;
    if (is_value(wrong) || !is_waiting(a[4]))
        return wrong_argument(p, wrong);
    return receive_with(p, s, room, &control_room, flags, a[4], message_term);
}
