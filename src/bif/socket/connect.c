/* Connecting, accepting, shutting down, and giving up what one waits for. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/race_window.h"
#include "bif/socket/native.h"
#include "bif_table.h"
#include "socket/address.h"

/* --- connect --- */

/* It is known how it went. */
static Term connecting_is_over(Process *p, Socket *s, int error) {
    if (error == 0)
        s->write_state |= SOCKET_CONNECTED;
    socket_through(s, &s->connectors, SOCKET_TO_WRITE, p->pid);
    return native_posix(p, error);
}

static bool is_connecting(const Process *p, const Socket *s) {
    return s->connectors.first != NULL && s->connectors.first->pid == p->pid;
}

/* The message has come: is it connected, or why not? */
static Term end_of_connecting(Process *p, Socket *s) {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    return connecting_is_over(p, s, error);
}

static Term begin_to_connect(Process *p, Socket *s, Term reference, const SocketAddress *to) {
    int error = connect(s->fd, &to->any, to->size) == 0 ? 0 : errno;
    if (error == EINPROGRESS && socket_wait(s, &s->connectors, SOCKET_TO_WRITE, p->pid, reference))
        return am_select;
    return connecting_is_over(p, s, error);
}

/* Who waits may ask by either function how it went. */
static Term connect_or_end(Process *p, Socket *s, Term reference, const SocketAddress *to) {
    if (s->closing)
        return socket_failed(p, am_closed);
    if (is_connecting(p, s))
        return end_of_connecting(p, s);
    if (to == NULL)
        return socket_raise_state(p);
    if (s->connectors.first != NULL)
        return socket_failed(p, am_already);
    if (s->writers.first != NULL)
        return socket_refused(p, am_state);
    return begin_to_connect(p, s, reference, to);
}

/* connect(Socket, Reference, Address) */
Term prim_socket_connect_3(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    SocketAddress to;
    if (!is_ref(a[1]))
        return native_badarg(p);
    if (!socket_address_from(a[2], &to))
        return socket_invalid(p, am_sockaddr);
    mutex_lock(&s->write_lock);
    Term result = connect_or_end(p, s, a[1], &to);
    mutex_unlock(&s->write_lock);
    return result;
}

/* connect(Socket) */
Term prim_socket_connect_1(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    mutex_lock(&s->write_lock);
    Term result = connect_or_end(p, s, NON_VALUE, NULL);
    mutex_unlock(&s->write_lock);
    return result;
}

/* --- accept --- */

static Term nobody_yet(Process *p, Socket *s, Term reference) {
    if (s->acceptors.first != NULL)
        socket_count(s, &s->accept.waits, 1, am_acc_waits);
    bool waits = socket_wait(s, &s->acceptors, SOCKET_TO_READ, p->pid, reference);
    return waits ? am_select : native_posix(p, ENOMEM);
}

/* The descriptor of the new one, or what is answered in *result. */
static int accept_one(Process *p, Socket *s, Term reference, Term *result) {
    *result = s->closing                 ? socket_failed(p, am_closed)
              : s->readers.first != NULL ? socket_refused(p, am_state)
                                         : NON_VALUE;
    if (is_value(*result))
        return -1;
    SocketTurn turn = socket_turn(s, &s->acceptors, p->pid, reference);
    if (turn != TURN_IS_NOW) {
        *result = turn == TURN_LATER ? am_select : socket_raise_state(p);
        return -1;
    }
    socket_count(s, &s->accept.tries, 1, am_acc_tries);
    int fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), error = errno;
    if (fd < 0 && (error == EAGAIN || error == EWOULDBLOCK)) {
        *result = nobody_yet(p, s, reference);
        return -1;
    }
    socket_count(s, fd < 0 ? &s->accept.fails : &s->accept.successes, 1, fd < 0 ? am_acc_fails : am_acc_success);
    if (fd < 0) {
        socket_fails(s, &s->acceptors, p->pid, socket_error_name(error));
        *result = native_posix(p, error);
    } else
        socket_through(s, &s->acceptors, SOCKET_TO_READ, p->pid);
    return fd;
}

typedef struct {
    size_t read_room, read_control_room, write_control_room;
    unsigned reads_most;
    bool debug, counts_wraps, is_registered;
} Inherited;

/* Under the lock. */
static Inherited inherited_from(const Socket *s) {
    return (Inherited){s->read_room, s->read_control_room, s->write_control_room, s->reads_most,
                       s->debug,     s->counts_wraps,      s->is_registered};
}

static void inherit(Socket *s, const Inherited *from) {
    socket_lock_both(s);
    s->read_room = from->read_room;
    s->read_control_room = from->read_control_room;
    s->write_control_room = from->write_control_room;
    s->reads_most = from->reads_most;
    s->debug = from->debug;
    s->counts_wraps = from->counts_wraps;
    socket_unlock_both(s);
}

/* accept(Socket, Reference) */
Term prim_socket_accept(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    Term result, term;
    mutex_lock(&s->read_lock);
    int fd = accept_one(p, s, a[1], &result);
    Inherited inherited = inherited_from(s);
    mutex_unlock(&s->read_lock);
    if (fd < 0)
        return result;
    mutex_lock(&s->write_lock);
    s->write_state |= SOCKET_CONNECTED; /* as the stock runtime shows one that listens */
    mutex_unlock(&s->write_lock);
    race_window("a connection was accepted, and has no owner yet");
    inherit(socket_create(p, fd, s->domain, s->type, s->protocol, inherited.is_registered, &term), &inherited);
    return native_ok(p, term);
}

/* --- shutdown --- */

static bool how_from(Term t, int *how) {
    *how = t == am_read ? SHUT_RD : t == am_write ? SHUT_WR : SHUT_RDWR;
    return t == am_read || t == am_write || t == am_read_write;
}

/* shutdown(Socket, How) */
Term prim_socket_shutdown(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    int how;
    if (!how_from(a[1], &how))
        return socket_raise_invalid(p, am_how, a[1]);
    mutex_lock(&s->write_lock);
    bool closing = s->closing;
    int error = closing || shutdown(s->fd, how) == 0 ? 0 : errno;
    mutex_unlock(&s->write_lock);
    return closing ? socket_failed(p, am_closed) : native_posix(p, error);
}

/* --- cancel --- */

typedef struct {
    SocketQueue *queue;
    SocketFor what;
} Waiting;

static bool waiting_for(Socket *s, Term operation, Waiting *to) {
    switch (operation) {
    case am_accept: *to = (Waiting){&s->acceptors, SOCKET_TO_READ}; return true;
    case am_connect: *to = (Waiting){&s->connectors, SOCKET_TO_WRITE}; return true;
    case am_recv:
    case am_recvfrom:
    case am_recvmsg: *to = (Waiting){&s->readers, SOCKET_TO_READ}; return true;
    case am_send:
    case am_sendto:
    case am_sendmsg:
    case am_sendfile: *to = (Waiting){&s->writers, SOCKET_TO_WRITE}; return true;
    default: return false;
    }
}

static Term cancel_term(SocketCancel result) {
    return result == CANCEL_DONE ? am_ok : result == CANCEL_SENT ? am_select_sent : am_not_found;
}

static Term cancel(Process *p, Socket *s, const Waiting *w, Term reference) {
    if (s->closing)
        return socket_failed(p, am_closed);
    return cancel_term(socket_cancel(s, w->queue, w->what, p->pid, reference));
}

/* cancel(Socket, Operation, Reference) */
Term prim_socket_cancel(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    Waiting w;
    if (!waiting_for(s, a[1], &w) || !is_ref(a[2]))
        return native_badarg(p);
    Mutex *lock = w.what == SOCKET_TO_READ ? &s->read_lock : &s->write_lock;
    mutex_lock(lock);
    Term result = cancel(p, s, &w, a[2]);
    mutex_unlock(lock);
    return result;
}
