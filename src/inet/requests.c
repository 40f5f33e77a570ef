#include "inet/requests.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "inet/address.h"
#include "inet/interfaces.h"
#include "inet/options.h"
#include "inet/statistics.h"
#include "inet/subscribe.h"
#include "inet/tell.h"
#include "term/atom.h"

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static bool take_domain(Reader *r, int *domain) {
    switch (reader_u8(r)) {
    case FAMILY_INET: *domain = AF_INET; return true;
    case FAMILY_INET6: *domain = AF_INET6; return true;
    case FAMILY_LOCAL: *domain = AF_LOCAL; return true;
    default: return false;
    }
}

static bool take_type(const Inet *d, Reader *r, int *type) {
    static const int types[] = {
        [TYPE_STREAM] = SOCK_STREAM, [TYPE_DATAGRAM] = SOCK_DGRAM, [TYPE_SEQUENCED] = SOCK_SEQPACKET};
    unsigned number = reader_u8(r);
    bool is_known = number >= TYPE_STREAM && number < array_length(types);
    *type = is_known ? types[number] : -1;
    return is_known && (d->driver->protocol != 0 || *type == d->driver->type);
}

/* The two bytes that a socket is opened with. am_ok, or the name of an error. */
static Term take_kind(const Inet *d, Reader *r, int *domain, int *type) {
    bool is_known = take_domain(r, domain), has_type = take_type(d, r, type);
    if (r->bad || (is_known && !has_type))
        return am_einval;
    if (!is_known)
        return inet_error(EAFNOSUPPORT);
    return d->fd >= 0 ? am_exbadseq : am_ok;
}

static Term opened(Inet *d) {
    if (d->driver->opened != NULL)
        d->driver->opened(d);
    return am_ok;
}

static Term open_new(Inet *d, Reader *r, Text *answer) {
    int domain, type;
    if (reader_left(r) != 2)
        return am_einval;
    Term result = take_kind(d, r, &domain, &type);
    if (result != am_ok)
        return result;
    int error = inet_open_fd(d, domain, type);
    return error == 0 ? opened(d) : inet_error(error);
}

/* am_ok, or the name of an error. */
static Term is_of_domain(int fd, int domain) {
    InetAddress a = {.size = sizeof a.storage};
    if (getsockname(fd, &a.any, &a.size) != 0)
        return inet_error(errno);
    return a.any.sa_family == domain ? am_ok : am_einval;
}

static bool has_peer(int fd) {
    InetAddress a = {.size = sizeof a.storage};
    return getpeername(fd, &a.any, &a.size) == 0;
}

static bool is_listening(int fd) {
    int is = 0;
    socklen_t size = sizeof is;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is, &size) == 0 && is;
}

/* What a stream is can be seen; a socket of packets is connected when it has been asked to. */
static void find_state(Inet *d) {
    if (d->type != SOCK_STREAM)
        return;
    if (is_listening(d->fd))
        d->state |= INET_LISTENS;
    else if (has_peer(d->fd))
        d->state |= INET_CONNECTED;
}

/* A descriptor that somebody has opened; it is this socket's from now on. Whether it is bound may be said behind it: of
 * one that is not, what it is is taken as told. */
static Term open_fd(Inet *d, Reader *r, Text *answer) {
    int domain, type;
    if (reader_left(r) != 6 && reader_left(r) != 10)
        return am_einval;
    Term result = take_kind(d, r, &domain, &type);
    if (result != am_ok)
        return result;
    int fd = (int)reader_u32(r), flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return inet_error(EBADF);
    bool is_bound = reader_left(r) == 0 || reader_u32(r) != 0;
    result = is_bound ? is_of_domain(fd, domain) : am_ok;
    if (result != am_ok)
        return result;
    (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    inet_take_fd(d, fd, domain, type);
    find_state(d);
    return opened(d);
}

static Term close_all(Inet *d, Reader *r, Text *answer) {
    d->driver->close(d);
    return am_ok;
}

static Term ignore_fd(Inet *d, Reader *r, Text *answer) {
    if (!(d->state & INET_CONNECTED))
        return am_enotconn;
    if (reader_left(r) != 1)
        return am_einval;
    bool ignores = reader_u8(r) != 0;
    if (ignores == d->ignores_fd)
        return am_einval;
    inet_ignore_fd(d, ignores);
    return am_ok;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static Term bind_to(Inet *d, Reader *r, Text *answer) {
    InetAddress a;
    if (reader_left(r) < 2)
        return am_einval;
    Term result = d->state & INET_OPEN ? inet_address_take(d, r, &a) : am_exbadport;
    if (result != am_ok)
        return result;
    if (bind(d->fd, &a.any, a.size) != 0)
        return inet_error(errno);
    a.size = sizeof a.storage;
    (void)getsockname(d->fd, &a.any, &a.size);
    inet_put_u16(answer, inet_address_port(&a));
    return am_ok;
}

static Term put_said(Text *answer, const struct InetAddress *said) {
    inet_address_put(answer, said);
    return am_ok;
}

static Term system_name(Inet *d, Reader *r, Text *answer) {
    InetAddress a = {.size = sizeof a.storage};
    if (getsockname(d->fd, &a.any, &a.size) != 0)
        return inet_error(errno);
    inet_address_put(answer, &a);
    return am_ok;
}

static Term system_peer(Inet *d, Reader *r, Text *answer) {
    InetAddress a = {.size = sizeof a.storage};
    if (getpeername(d->fd, &a.any, &a.size) != 0)
        return inet_error(errno);
    inet_address_put(answer, &a);
    return am_ok;
}

static Term name(Inet *d, Reader *r, Text *answer) {
    if (d->name != NULL)
        return put_said(answer, d->name);
    bool is_lost = d->fd < 0 && d->type != 0 && !d->driver->keeps_kind;
    return is_lost ? am_einval : system_name(d, r, answer);
}

static Term peer(Inet *d, Reader *r, Text *answer) {
    if (!(d->state & INET_CONNECTED))
        return am_enotconn;
    return d->peer != NULL ? put_said(answer, d->peer) : system_peer(d, r, answer);
}

/* No address: the one that the system tells. */
static Term set_said(const Inet *d, Reader *r, struct InetAddress **said) {
    InetAddress a;
    bool forgets = reader_left(r) == 0;
    Term result = forgets ? am_ok : inet_address_take(d, r, &a);
    if (result != am_ok)
        return result;
    mem_free(ALLOC_PORT, *said);
    *said = NULL;
    if (!forgets)
        *(*said = mem_alloc(ALLOC_PORT, sizeof a)) = a;
    return am_ok;
}

static Term set_name(Inet *d, Reader *r, Text *answer) { return set_said(d, r, &d->name); }
static Term set_peer(Inet *d, Reader *r, Text *answer) { return set_said(d, r, &d->peer); }

/* --- what it is --------------------------------------------------------------------------------------------------- */

static Term get_fd(Inet *d, Reader *r, Text *answer) {
    if (d->fd < 0)
        return am_einval;
    inet_put_u32(answer, (uint32_t)d->fd);
    return am_ok;
}

static Term kind(Inet *d, Reader *r, Text *answer) {
    if (d->fd < 0 && (d->type == 0 || !d->driver->keeps_kind))
        return am_einval;
    inet_put_u32(answer, d->domain == AF_INET ? FAMILY_INET : d->domain == AF_INET6 ? FAMILY_INET6 : FAMILY_LOCAL);
    inet_put_u32(answer, d->type == SOCK_STREAM ? TYPE_STREAM : d->type == SOCK_DGRAM ? TYPE_DATAGRAM : TYPE_SEQUENCED);
    return am_ok;
}

static Term status(Inet *d, Reader *r, Text *answer) {
    inet_put_u32(answer, d->state);
    return am_ok;
}

static Term subscribe(Inet *d, Reader *r, Text *answer) {
    while (reader_left(r) > 0) {
        if (reader_u8(r) != SUBSCRIBE_EMPTY_QUEUE)
            return NON_VALUE;
        size_t queued = driver_sizeq(d->port);
        text_byte(answer, SUBSCRIBE_EMPTY_QUEUE);
        inet_put_u32(answer, (uint32_t)queued);
        if (queued > 0)
            inet_subscribe(d, inet_caller(d));
    }
    return am_ok;
}

/* --- the host ----------------------------------------------------------------------------------------------------- */

#define NAME_MAX_BYTES 256

static Term host_name(Inet *d, Reader *r, Text *answer) {
    char name[NAME_MAX_BYTES];
    if (gethostname(name, sizeof name) != 0)
        return inet_error(errno);
    text_bytes(answer, name, strnlen(name, sizeof name));
    return am_ok;
}

/* A size of a byte, and the text. */
static bool take_text(Reader *r, char text[NAME_MAX_BYTES]) {
    size_t size = reader_u8(r);
    const uint8_t *bytes = reader_take(r, size);
    if (bytes == NULL)
        return false;
    memcpy(text, bytes, size);
    text[size] = 0;
    return true;
}

#define SERVICE_ROOM 4096

static Term service_by_name(Inet *d, Reader *r, Text *answer) {
    char name[NAME_MAX_BYTES], protocol[NAME_MAX_BYTES], room[SERVICE_ROOM];
    struct servent entry, *found = NULL;
    if (!take_text(r, name) || !take_text(r, protocol))
        return am_einval;
    if (getservbyname_r(name, protocol, &entry, room, sizeof room, &found) != 0 || found == NULL)
        return am_einval;
    inet_put_u16(answer, ntohs((uint16_t)found->s_port));
    return am_ok;
}

static Term service_by_port(Inet *d, Reader *r, Text *answer) {
    char protocol[NAME_MAX_BYTES], room[SERVICE_ROOM];
    struct servent entry, *found = NULL;
    uint16_t port = htons(reader_u16(r));
    if (!take_text(r, protocol))
        return am_einval;
    if (getservbyport_r(port, protocol, &entry, room, sizeof room, &found) != 0 || found == NULL)
        return am_einval;
    text_bytes(answer, found->s_name, strlen(found->s_name));
    return am_ok;
}

/* Of an association of SCTP there may be several names; here is the one. */
static Term names(Inet *d, Reader *r, Text *answer, InetRequest *one) {
    if (reader_left(r) != sizeof(uint32_t))
        return am_einval;
    return d->fd < 0 ? am_exbadport : one(d, r, answer);
}

static Term local_names(Inet *d, Reader *r, Text *answer) { return names(d, r, answer, system_name); }
static Term peer_names(Inet *d, Reader *r, Text *answer) { return names(d, r, answer, system_peer); }

/* --- all ---------------------------------------------------------------------------------------------------------- */

static InetRequest *const requests[REQUESTS] = {
    [REQUEST_OPEN] = open_new,
    [REQUEST_CLOSE] = close_all,
    [REQUEST_PEER] = peer,
    [REQUEST_NAME] = name,
    [REQUEST_BIND] = bind_to,
    [REQUEST_SET_OPTIONS] = inet_set_options,
    [REQUEST_GET_OPTIONS] = inet_get_options,
    [REQUEST_STATISTICS] = inet_statistics,
    [REQUEST_HOST_NAME] = host_name,
    [REQUEST_OPEN_FD] = open_fd,
    [REQUEST_GET_FD] = get_fd,
    [REQUEST_TYPE] = kind,
    [REQUEST_STATUS] = status,
    [REQUEST_SERVICE_BY_NAME] = service_by_name,
    [REQUEST_SERVICE_BY_PORT] = service_by_port,
    [REQUEST_SET_NAME] = set_name,
    [REQUEST_SET_PEER] = set_peer,
    [REQUEST_INTERFACES] = inet_interfaces,
    [REQUEST_INTERFACE_GET] = inet_interface_get,
    [REQUEST_INTERFACE_SET] = inet_interface_set,
    [REQUEST_SUBSCRIBE] = subscribe,
    [REQUEST_INTERFACE_ADDRESSES] = inet_interface_addresses,
    [REQUEST_IGNORE_FD] = ignore_fd,
    [REQUEST_LOCAL_NAMES] = local_names,
    [REQUEST_PEER_NAMES] = peer_names,
};

static InetRequest *request_of(const Inet *d, unsigned command) {
    unsigned number = command - REQUEST_MAGIC;
    if (number >= REQUESTS)
        return NULL;
    return d->driver->requests[number] != NULL ? d->driver->requests[number] : requests[number];
}

static void put_error(Text *answer, Term error) {
    text_clear(answer);
    text_byte(answer, REPLY_ERROR);
    const AtomName *name = atom_name(error);
    text_bytes(answer, name->bytes, name->byte_count);
}

static ErlDrvSSizeT give(const Text *answer, char **result, ErlDrvSizeT room) {
    char *to = answer->size <= room ? *result : driver_alloc(answer->size);
    memcpy(to, answer->bytes, answer->size);
    *result = to;
    return (ErlDrvSSizeT)answer->size;
}

ErlDrvSSizeT inet_control(Inet *d, unsigned command, char *bytes, ErlDrvSizeT size, char **result, ErlDrvSizeT room) {
    TEXT(answer);
    Reader r = reader_make((const uint8_t *)bytes, size);
    InetRequest *request = request_of(d, command);
    text_byte(&answer, REPLY_OK);
    Term done = request == NULL ? am_exbadport : request(d, &r, &answer);
    if (!is_value(done))
        return -1;
    if (done != am_ok)
        put_error(&answer, done);
    return give(&answer, result, room);
}
