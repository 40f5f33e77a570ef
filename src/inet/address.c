#include "inet/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "term/atom.h"
#include "term/bits.h"

static bool take_inet(Reader *r, InetAddress *to) {
    to->size = sizeof to->inet;
    to->inet.sin_family = AF_INET;
    to->inet.sin_port = htons(reader_u16(r));
    to->inet.sin_addr.s_addr = htonl(reader_u32(r));
    return !r->bad;
}

static void take_scope(Reader *r, struct sockaddr_in6 *a) {
    if (reader_left(r) < 8)
        return;
    a->sin6_flowinfo = reader_u32(r);
    a->sin6_scope_id = reader_u32(r);
}

static bool take_inet6(Reader *r, InetAddress *to) {
    to->size = sizeof to->inet6;
    to->inet6.sin6_family = AF_INET6;
    to->inet6.sin6_port = htons(reader_u16(r));
    const uint8_t *bytes = reader_take(r, sizeof to->inet6.sin6_addr);
    if (bytes == NULL)
        return false;
    memcpy(&to->inet6.sin6_addr, bytes, sizeof to->inet6.sin6_addr);
    take_scope(r, &to->inet6);
    return true;
}

static bool take_special(const Inet *d, Reader *r, InetAddress *to, bool is_loopback) {
    in_port_t port = htons(reader_u16(r));
    if (d->domain == AF_INET6) {
        to->size = sizeof to->inet6;
        to->inet6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port};
        to->inet6.sin6_addr = is_loopback ? in6addr_loopback : in6addr_any;
    } else if (d->domain == AF_INET) {
        to->size = sizeof to->inet;
        to->inet = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
        to->inet.sin_addr.s_addr = htonl(is_loopback ? INADDR_LOOPBACK : INADDR_ANY);
    } else {
        return false;
    }
    return !r->bad;
}

/* A name of a file ends with a NUL; one that begins with it is no file's. */
static bool take_local(Reader *r, InetAddress *to) {
    size_t size = reader_u8(r);
    const uint8_t *name = reader_take(r, size);
    if (name == NULL || size >= sizeof to->local.sun_path)
        return false;
    to->local.sun_family = AF_LOCAL;
    memcpy(to->local.sun_path, name, size);
    bool is_file = size > 0 && name[0] != 0;
    to->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size + is_file);
    return true;
}

static bool take(const Inet *d, unsigned family, Reader *r, InetAddress *to) {
    switch (family) {
    case FAMILY_INET: return take_inet(r, to);
    case FAMILY_INET6: return take_inet6(r, to);
    case FAMILY_ANY: return take_special(d, r, to, false);
    case FAMILY_LOOPBACK: return take_special(d, r, to, true);
    default: return take_local(r, to);
    }
}

Term inet_address_take(const Inet *d, Reader *r, InetAddress *to) {
    memset(to, 0, sizeof *to);
    unsigned family = reader_u8(r);
    bool is_known = family >= FAMILY_INET && family <= FAMILY_LOCAL;
    if (!is_known && reader_left(r) > 0)
        return inet_error(EAFNOSUPPORT);
    return is_known && take(d, family, r, to) ? am_ok : am_einval;
}

unsigned inet_address_port(const InetAddress *a) {
    switch (a->any.sa_family) {
    case AF_INET: return ntohs(a->inet.sin_port);
    case AF_INET6: return ntohs(a->inet6.sin6_port);
    default: return 0;
    }
}

/* Of a file's name, or of one that begins with NUL. */
static size_t local_size(const InetAddress *a) {
    size_t before = offsetof(struct sockaddr_un, sun_path), size = a->size <= before ? 0 : a->size - before;
    const char *name = a->local.sun_path;
    return size > 0 && name[0] != 0 ? strnlen(name, size) : size;
}

static void put_local(Text *answer, const InetAddress *a) {
    size_t size = local_size(a);
    text_byte(answer, FAMILY_LOCAL);
    text_byte(answer, (char)size);
    text_bytes(answer, a->local.sun_path, size);
}

static void put_with_port(Text *answer, int family, const InetAddress *a, const void *bytes, size_t size) {
    text_byte(answer, (char)family);
    inet_put_u16(answer, inet_address_port(a));
    text_bytes(answer, bytes, size);
}

void inet_address_put(Text *answer, const InetAddress *a) {
    switch (a->any.sa_family) {
    case AF_INET: put_with_port(answer, FAMILY_INET, a, &a->inet.sin_addr, sizeof a->inet.sin_addr); break;
    case AF_INET6: put_with_port(answer, FAMILY_INET6, a, &a->inet6.sin6_addr, sizeof a->inet6.sin6_addr); break;
    case AF_LOCAL: put_local(answer, a); break;
    case AF_UNSPEC: text_byte(answer, FAMILY_UNSPECIFIED); break;
    default: text_byte(answer, FAMILY_UNDEFINED); break;
    }
}

/* --- terms -------------------------------------------------------------------------------------------------------- */

static Term bytes_term(Area *area, const uint8_t bytes[4]) {
    return area_tuple4(area, small_make(bytes[0]), small_make(bytes[1]), small_make(bytes[2]), small_make(bytes[3]));
}

static Term pairs_term(Area *area, const uint8_t bytes[16]) {
    Term pairs[8];
    for (int i = 0; i < 8; i++)
        pairs[i] = small_make(bytes[2 * i] << 8 | bytes[2 * i + 1]);
    return area_tuple(area, pairs, array_length(pairs));
}

static Term named(Area *area, Term family, const char *name, size_t size) {
    return area_tuple2(area, family, binary_from_bytes(area, name, size));
}

Term inet_address_term(Area *area, const InetAddress *a) {
    switch (a->any.sa_family) {
    case AF_INET: return bytes_term(area, (const uint8_t *)&a->inet.sin_addr);
    case AF_INET6: return pairs_term(area, a->inet6.sin6_addr.s6_addr);
    case AF_LOCAL: return named(area, am_local, a->local.sun_path, local_size(a));
    default: return named(area, a->any.sa_family == AF_UNSPEC ? am_unspec : am_undefined, "", 0);
    }
}
