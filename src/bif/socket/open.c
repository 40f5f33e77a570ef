/* The beginning of a socket, its names, and its end. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/socket/native.h"
#include "sys/network_space.h"
#include "bif_table.h"
#include "socket/address.h"
#include "socket/names.h"
#include "term/bits.h"
#include "term/text.h"

/* --- open --- */

static bool wants(Term options, Term name, bool otherwise) {
    Term value = socket_map_value(options, name);
    return value == am_true || (otherwise && value != am_false);
}

static Socket *create(Process *p, int fd, int domain, int type, int protocol, Term options, Term *term) {
    bool registered = wants(options, am_use_registry, atomic_load(&socket_uses_registry));
    Socket *s = socket_create(p, fd, domain, type, protocol, registered, term);
    if (wants(options, am_debug, false))
        s->debug = true;
    return s;
}

/* What it became may say more than what was asked for, if that was nothing. */
static int asked(int fd, int option, int otherwise) {
    int value = otherwise;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : otherwise;
}

static int open_as(Term options, int domain, int type, int protocol) {
    Term space = socket_map_value(options, am_netns);
    NativeBytes b;
    type |= SOCK_CLOEXEC | SOCK_NONBLOCK;
    if (!is_value(space) || !is_binary(space) || !native_bytes(space, &b))
        return socket(domain, type, protocol);
    TEXT(path);
    text_bytes(&path, b.bytes, b.count);
    native_bytes_release(&b);
    NetworkSpace there;
    if (!network_space_enter(&there, text_cstring(&path)))
        return -1;
    int fd = socket(domain, type, protocol), error = errno;
    network_space_leave(&there);
    errno = error;
    return fd;
}

/* open(Domain, Type, Protocol, Options) */
Term prim_socket_open_4(Process *p, const Term *a) {
    int domain, type, protocol;
    Term term;
    if (!socket_int_from(a[2], &protocol))
        return socket_bad_number(p, a[2]);
    if (!socket_number_of(socket_domains, a[0], &domain))
        return socket_invalid(p, am_domain);
    if (!socket_number_of(socket_types, a[1], &type))
        return socket_invalid(p, am_type);
    int fd = open_as(a[3], domain, type, protocol);
    if (fd < 0)
        return native_posix(p, errno);
    create(p, fd, domain, type, protocol != 0 ? protocol : asked(fd, SO_PROTOCOL, 0), a[3], &term);
    return native_ok(p, term);
}

/* The system says it, or else an option. */
static bool known(Term options, Term name, const SocketName *names, int fd, int option, int *to) {
    Term given = socket_map_value(options, name);
    *to = asked(fd, option, -1);
    return *to >= 0 || (is_value(given) && socket_number_of(names, given, to));
}

static Term take_over(Process *p, int fd, int given, Term options) {
    int domain, type, protocol;
    Term term, wrong = !known(options, am_domain, socket_domains, fd, SO_DOMAIN, &domain) ? am_domain
                       : !known(options, am_type, socket_types, fd, SO_TYPE, &type)       ? am_type
                                                                                          : NON_VALUE;
    if (is_value(wrong)) {
        if (fd != given)
            close(fd);
        return socket_invalid(p, wrong);
    }
    if (!known(options, am_protocol, socket_no_names, fd, SO_PROTOCOL, &protocol))
        protocol = 0;
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    SocketAddress peer = {.size = sizeof peer.storage};
    bool is_connected = getpeername(fd, &peer.any, &peer.size) == 0;
    Socket *s = create(p, fd, domain, type, protocol, options, &term);
    s->opened_from = fd == given ? SOCKET_LENT : given;
    s->write_state |= is_connected ? SOCKET_CONNECTED : 0;
    return native_ok(p, term);
}

/* open(Descriptor, Options) */
Term prim_socket_open_2(Process *p, const Term *a) {
    int given;
    if (!socket_int_from(a[0], &given))
        return native_badarg(p);
    bool is_own = wants(a[1], am_dup, true);
    if (!is_own && fcntl(given, F_GETFD) < 0)
        return native_posix(p, errno);
    int fd = is_own ? fcntl(given, F_DUPFD_CLOEXEC, 0) : given;
    return fd >= 0 ? take_over(p, fd, given, a[1]) : native_posix(p, errno);
}

/* --- Names --- */

/* bind(Socket, Address) */
Term prim_socket_bind(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    SocketAddress address;
    if (!socket_address_from(a[1], &address))
        return socket_invalid(p, am_sockaddr);
    socket_lock_both(s);
    bool closing = s->closing;
    int error = closing || bind(s->fd, &address.any, address.size) == 0 ? 0 : errno;
    if (!closing && error == 0)
        s->read_state |= SOCKET_BOUND;
    socket_unlock_both(s);
    return closing ? socket_failed(p, am_closed) : native_posix(p, error);
}

/* listen(Socket, Backlog) */
Term prim_socket_listen(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    int backlog;
    if (!socket_int_from(a[1], &backlog))
        return socket_bad_number(p, a[1]);
    mutex_lock(&s->read_lock);
    bool closing = s->closing;
    int error = closing || listen(s->fd, backlog) == 0 ? 0 : errno;
    if (!closing && error == 0)
        s->read_state |= SOCKET_LISTENING;
    mutex_unlock(&s->read_lock);
    return closing ? socket_failed(p, am_closed) : native_posix(p, error);
}

typedef int Name(int fd, struct sockaddr *address, socklen_t *size);

static Term name(Process *p, Socket *s, Name *ask) {
    SocketAddress address = {.size = sizeof address.storage};
    mutex_lock(&s->read_lock);
    bool closing = s->closing;
    int error = closing || ask(s->fd, &address.any, &address.size) == 0 ? 0 : errno;
    mutex_unlock(&s->read_lock);
    if (closing)
        return socket_failed(p, am_closed);
    return error ? native_posix(p, error) : native_ok(p, socket_address_term(process_area(p), &address));
}

Term prim_socket_sockname(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    return name(p, s, getsockname);
}

Term prim_socket_peername(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    return name(p, s, getpeername);
}

/* --- The end --- */

Term prim_socket_close(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    return socket_begin_close(s, p->pid) ? am_ok : socket_failed(p, am_closed);
}

/* It has been begun, and the descriptor is still there. Does closing wait for what is still to be sent? */
static bool lingers(Socket *s) {
    struct linger l = {0};
    socklen_t size = sizeof l;
    mutex_lock(&s->read_lock);
    if (s->closing && s->fd >= 0)
        (void)getsockopt(s->fd, SOL_SOCKET, SO_LINGER, &l, &size);
    mutex_unlock(&s->read_lock);
    return l.l_onoff != 0 && l.l_linger != 0 && s->opened_from != SOCKET_LENT;
}

static bool is_closing(Socket *s) {
    mutex_lock(&s->read_lock);
    bool closing = s->closing;
    mutex_unlock(&s->read_lock);
    return closing;
}

/* Dirty where it may take long: a descriptor that blocks waits (the option linger). */
Term erts_internal_socket_close_1(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    int fd = is_closing(s) ? socket_take_fd(s) : -1;
    if (fd < 0)
        return socket_failed(p, am_closed);
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return native_posix(p, socket_close_fd(s, fd));
}

Term prim_socket_finalize_close(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    if (!is_closing(s))
        return socket_raise_state(p);
    if (lingers(s))
        return bif_go_dirty(p, am_socket_close, 1, a);
    int fd = socket_take_fd(s);
    return fd < 0 ? socket_failed(p, am_closed) : native_posix(p, socket_close_fd(s, fd));
}
