#include "bif/socket/native.h"

#include <errno.h>
#include <limits.h>

#include "sys/errno_name.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/iolist.h"

Term socket_failed(Process *p, Term reason) { return area_tuple2(process_area(p), am_error, reason); }
Term socket_invalid(Process *p, Term what) { return area_tuple2(process_area(p), am_invalid, what); }
Term socket_refused(Process *p, Term what) { return socket_failed(p, socket_invalid(p, what)); }

Term socket_raise_invalid(Process *p, Term a, Term b) {
    return native_error(p, socket_invalid(p, area_tuple2(process_area(p), a, b)));
}

Term socket_raise_state(Process *p) { return native_error(p, socket_invalid(p, am_state)); }

Term socket_error_name(int error) { return atom_from_cstring(errno_name(error)); }

Term socket_bad_number(Process *p, Term t) {
    if (!is_integer(t))
        return native_badarg(p);
    return socket_invalid(p, area_tuple2(process_area(p), am_integer_range, t));
}

bool socket_bytes_from(Term t, NativeBytes *b) {
    uint64_t count;
    return (is_binary(t) || (iolist_bytes(t, &count, NULL) && count <= INT_MAX)) && native_bytes(t, b);
}

/* --- Turns --- */

static bool may_go_on(Process *p, Socket *s, SocketQueue *q, Term reference, Term *answer) {
    SocketTurn turn = socket_turn(s, q, p->pid, reference);
    if (turn != TURN_IS_NOW)
        *answer = turn == TURN_LATER ? am_select : socket_raise_state(p);
    return turn == TURN_IS_NOW;
}

bool socket_may_read(Process *p, Socket *s, Term reference, Term *answer) {
    if (!s->closing && s->acceptors.first == NULL)
        return may_go_on(p, s, &s->readers, reference, answer);
    *answer = s->closing ? socket_failed(p, am_closed) : socket_refused(p, am_state);
    return false;
}

bool socket_may_write(Process *p, Socket *s, Term reference, Term *answer) {
    if (!s->closing && s->connectors.first == NULL)
        return may_go_on(p, s, &s->writers, reference, answer);
    *answer = s->closing ? socket_failed(p, am_closed) : socket_refused(p, am_state);
    return false;
}

Term socket_read_failed(Process *p, Socket *s, Term reference, int error) {
    bool would_wait = error == EAGAIN || error == EWOULDBLOCK;
    if (would_wait && reference == am_zero)
        return am_ok;
    if (would_wait && socket_wait(s, &s->readers, SOCKET_TO_READ, p->pid, reference))
        return am_select;
    socket_count(s, &s->read.fails, 1, am_read_fails);
    Term reason = error == 0 ? am_closed : socket_error_name(error);
    socket_fails(s, &s->readers, p->pid, reason);
    return socket_failed(p, reason);
}

Term socket_write_failed(Process *p, Socket *s, Term reference, int error) {
    if (error == EAGAIN || error == EWOULDBLOCK) {
        socket_count(s, &s->write.waits, 1, am_write_waits);
        if (socket_wait(s, &s->writers, SOCKET_TO_WRITE, p->pid, reference))
            return am_select;
    }
    socket_count(s, &s->write.fails, 1, am_write_fails);
    socket_fails(s, &s->writers, p->pid, socket_error_name(error));
    return native_posix(p, error);
}

/* --- Counts --- */

static void has_written_package(Socket *s) {
    socket_count(s, &s->write.packages, 1, am_write_pkg);
    if (s->write.most_now > s->write.most)
        s->write.most = s->write.most_now;
    s->write.most_now = 0;
}

void socket_has_read(Process *p, Socket *s, size_t count) {
    socket_count(s, &s->read.packages, 1, am_read_pkg);
    socket_count(s, &s->read.bytes, count, am_read_byte);
    socket_through(s, &s->readers, SOCKET_TO_READ, p->pid);
}

Term socket_has_written(Process *p, Socket *s, Term reference, size_t count, size_t all, bool is_end) {
    socket_count(s, &s->write.bytes, count, am_write_byte);
    s->write.most_now += count;
    if (count < all) {
        Term waits = socket_write_failed(p, s, reference, EAGAIN);
        return waits == am_select ? area_tuple2(process_area(p), am_select, small_make((SWord)count)) : waits;
    }
    if (is_end)
        has_written_package(s);
    socket_through(s, &s->writers, SOCKET_TO_WRITE, p->pid);
    return am_ok;
}
