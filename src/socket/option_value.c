#include "socket/option.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "alloc/alloc.h"
#include "socket/address.h"
#include "socket/names.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/iolist.h"
#include "term/map.h"

#define BYTES_MAX 256
#define NO_VALUE (-1)

static int put(int fd, const SocketOption *o, const void *bytes, size_t count) {
    int level = socket_level_of_system(o->level);
    return setsockopt(fd, level, o->number, bytes, (socklen_t)count) == 0 ? 0 : errno;
}

static int put_int(int fd, const SocketOption *o, bool is_good, int value) {
    return is_good ? put(fd, o, &value, sizeof value) : NO_VALUE;
}

static bool bool_from(Term t, int *to) {
    *to = t == am_true;
    return t == am_true || t == am_false;
}

/* A list of bytes, as a text of C. */
static int put_bytes(int fd, const SocketOption *o, Term list) {
    char bytes[BYTES_MAX];
    size_t count = 0;
    for (; is_list(list) && count < sizeof bytes - 1; list = list_tail(list), count++) {
        int byte;
        if (!socket_int_from(list_head(list), &byte) || byte < 0 || byte > 255)
            return NO_VALUE;
        bytes[count] = (char)byte;
    }
    bytes[count] = '\0';
    return is_nil(list) ? put(fd, o, bytes, count) : NO_VALUE;
}

static int put_linger(int fd, const SocketOption *o, Term t) {
    struct linger l = {.l_onoff = 1};
    if (t != am_abort && (!bool_from(socket_map_value(t, am_onoff), &l.l_onoff) ||
                          !socket_int_from(socket_map_value(t, am_linger), &l.l_linger) || l.l_linger < 0))
        return NO_VALUE;
    return put(fd, o, &l, sizeof l);
}

static int put_ip4(int fd, const SocketOption *o, Term t) {
    struct in_addr address;
    return socket_ip4_from(t, &address) ? put(fd, o, &address, sizeof address) : NO_VALUE;
}

static bool hops_from(Term t, int *to) {
    *to = -1;
    return t == am_default || (socket_int_from(t, to) && *to >= 0 && *to <= 255);
}

int socket_option_set(const Socket *s, const SocketOption *o, Term t) {
    int value = 0, fd = s->fd;
    switch (o->set) {
    case OPTION_BOOL: return put_int(fd, o, bool_from(t, &value), value);
    case OPTION_INT: return put_int(fd, o, socket_int_from(t, &value), value);
    case OPTION_SERVICE: return put_int(fd, o, socket_number_of(socket_service_types, t, &value), value);
    case OPTION_PATH_MTU: return put_int(fd, o, socket_number_of(socket_path_mtus, t, &value), value);
    case OPTION_PATH_MTU6: return put_int(fd, o, socket_number_of(socket_path_mtus6, t, &value), value);
    case OPTION_FAMILY: return put_int(fd, o, socket_number_of(socket_domains, t, &value), value);
    case OPTION_HOPS: return put_int(fd, o, hops_from(t, &value), value);
    case OPTION_BYTES: return put_bytes(fd, o, t);
    case OPTION_LINGER: return put_linger(fd, o, t);
    case OPTION_IP4: return put_ip4(fd, o, t);
    default: return socket_group_set(fd, socket_level_of_system(o->level), o, t);
    }
}

/* --- Reading --- */

static int got(int fd, const SocketOption *o, void *bytes, socklen_t *count) {
    return getsockopt(fd, socket_level_of_system(o->level), o->number, bytes, count) == 0 ? 0 : errno;
}

static Term int_term(Area *area, OptionForm form, int value) {
    switch (form) {
    case OPTION_BOOL: return bool_term(value != 0);
    case OPTION_DOMAIN: return socket_name_of(socket_domains, value);
    case OPTION_TYPE: return socket_name_of(socket_types, value);
    case OPTION_SERVICE: return socket_service_name(value);
    case OPTION_PATH_MTU: return socket_name_of(socket_path_mtus, value);
    case OPTION_PATH_MTU6: return socket_name_of(socket_path_mtus6, value);
    default: return small_make(value);
    }
}

/* Some of IP's give a byte where it would do. */
static int get_int(int fd, const SocketOption *o, Area *area, Term *value) {
    union {
        int number;
        uint8_t byte;
    } is = {0};
    socklen_t count = sizeof is;
    int error = got(fd, o, &is, &count);
    *value = int_term(area, o->got, count == 1 ? is.byte : is.number);
    return error;
}

/* The system fills a name of its own up to its full length: the last place is a NUL's. */
static int get_bytes(int fd, const SocketOption *o, Area *area, Term *value) {
    uint8_t bytes[BYTES_MAX];
    socklen_t room = o->level == IPPROTO_IP ? sizeof bytes : 16, count = room;
    int error = got(fd, o, bytes, &count);
    *value = list_from_bytes(area, bytes, count < room ? count : room - 1, NIL);
    return error;
}

static int get_protocol(const Socket *s, const SocketOption *o, Area *area, Term *value) {
    int error = get_int(s->fd, o, area, value);
    if (s->domain == AF_LOCAL && *value == small_make(0))
        *value = am_default;
    return error;
}

static int get_linger(int fd, const SocketOption *o, Area *area, Term *value) {
    struct linger l = {0};
    socklen_t count = sizeof l;
    int error = got(fd, o, &l, &count);
    Term pairs[] = {am_onoff, bool_term(l.l_onoff != 0), am_linger, small_make(l.l_linger)};
    *value = map_from_pairs(area, pairs, 2);
    return error;
}

static int get_ip4(int fd, const SocketOption *o, Area *area, Term *value) {
    struct in_addr address = {0};
    socklen_t count = sizeof address;
    int error = got(fd, o, &address, &count);
    *value = socket_ip4_term(area, &address);
    return error;
}

int socket_option_get(const Socket *s, const SocketOption *o, Area *area, Term *value) {
    switch (o->got) {
    case OPTION_BYTES: return get_bytes(s->fd, o, area, value);
    case OPTION_LINGER: return get_linger(s->fd, o, area, value);
    case OPTION_PROTOCOL: return get_protocol(s, o, area, value);
    case OPTION_IP4: return get_ip4(s->fd, o, area, value);
    case OPTION_ASSOCIATION:
    case OPTION_INIT_MESSAGE: return socket_group_get(s->fd, socket_level_of_system(o->level), o, area, value);
    default: return get_int(s->fd, o, area, value);
    }
}
