#include "socket/address.h"

#include <arpa/inet.h>
#include <netpacket/packet.h>
#include <string.h>

#include "alloc/alloc.h"
#include "socket/names.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/map.h"

/* `count` numbers of `bytes` bytes each, as they go over the net. */
static bool numbers_from(Term t, size_t count, size_t bytes, uint8_t *to) {
    if (!is_tuple(t) || tuple_arity(t) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        int value;
        if (!socket_int_from(tuple_elements(t)[i], &value) || value < 0 || value >= 1 << 8 * bytes)
            return false;
        for (size_t b = bytes; b-- > 0; value >>= 8)
            to[i * bytes + b] = (uint8_t)value;
    }
    return true;
}

bool socket_ip4_from(Term t, struct in_addr *to) {
    if (t == am_any || t == am_loopback || t == am_broadcast) {
        to->s_addr = htonl(t == am_any ? INADDR_ANY : t == am_loopback ? INADDR_LOOPBACK : INADDR_BROADCAST);
        return true;
    }
    return is_value(t) && numbers_from(t, 4, 1, (uint8_t *)to);
}

bool socket_ip6_from(Term t, struct in6_addr *to) {
    if (t == am_any || t == am_loopback) {
        *to = t == am_any ? in6addr_any : in6addr_loopback;
        return true;
    }
    return is_value(t) && numbers_from(t, 8, 2, (uint8_t *)to);
}

Term socket_ip4_term(Area *area, const struct in_addr *from) {
    const uint8_t *bytes = (const uint8_t *)from;
    Term numbers[4];
    for (size_t i = 0; i < 4; i++)
        numbers[i] = small_make(bytes[i]);
    return area_tuple(area, numbers, 4);
}

Term socket_ip6_term(Area *area, const struct in6_addr *from) {
    Term numbers[8];
    for (size_t i = 0; i < 8; i++)
        numbers[i] = small_make(from->s6_addr[2 * i] << 8 | from->s6_addr[2 * i + 1]);
    return area_tuple(area, numbers, 8);
}

/* --- From terms --- */

static bool inet_from(Term map, SocketAddress *to) {
    int port;
    if (!socket_int_from(socket_map_value(map, am_port), &port) ||
        !socket_ip4_from(socket_map_value(map, am_addr), &to->inet.sin_addr))
        return false;
    to->inet.sin_family = AF_INET;
    to->inet.sin_port = htons((uint16_t)port);
    to->size = sizeof to->inet;
    return true;
}

static bool inet6_from(Term map, SocketAddress *to) {
    int port;
    unsigned flow, scope;
    if (!socket_int_from(socket_map_value(map, am_port), &port) ||
        !socket_uint_from(socket_map_value(map, am_flowinfo), &flow) ||
        !socket_uint_from(socket_map_value(map, am_scope_id), &scope) ||
        !socket_ip6_from(socket_map_value(map, am_addr), &to->inet6.sin6_addr))
        return false;
    to->inet6.sin6_family = AF_INET6;
    to->inet6.sin6_port = htons((uint16_t)port);
    to->inet6.sin6_flowinfo = htonl(flow);
    to->inet6.sin6_scope_id = scope;
    to->size = sizeof to->inet6;
    return true;
}

/* The bytes of a binary, at most `room`; how many, or -1. */
static int64_t bytes_from(Term t, uint8_t *to, size_t room) {
    if (!is_value(t) || !is_binary(t) || bits_size(t) / 8 > room)
        return -1;
    size_t count;
    uint8_t *copy;
    const uint8_t *bytes = binary_bytes(t, &count, &copy);
    memcpy(to, bytes, count);
    mem_free(ALLOC_TEMP, copy);
    return (int64_t)count;
}

/* A path ends with a NUL; a name that begins with one is Linux's own, and has just its bytes. */
static bool local_from(Term map, SocketAddress *to) {
    int64_t count =
        bytes_from(socket_map_value(map, am_path), (uint8_t *)to->local.sun_path, sizeof to->local.sun_path - 1);
    if (count < 0)
        return false;
    bool is_path = count > 0 && to->local.sun_path[0] != '\0';
    to->local.sun_family = AF_LOCAL;
    to->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)count + is_path);
    return true;
}

/* Of a family that is not known here, or of none: its bytes. */
static bool bytes_of_family(Term map, int family, SocketAddress *to) {
    size_t before = offsetof(struct sockaddr, sa_data);
    int64_t count = bytes_from(socket_map_value(map, am_addr), to->bytes + before, sizeof to->storage - before);
    to->any.sa_family = (sa_family_t)family;
    to->size = (socklen_t)(before + (size_t)count);
    return count >= 0;
}

bool socket_address_from(Term map, SocketAddress *to) {
    memset(to, 0, sizeof *to);
    Term family = socket_map_value(map, am_family);
    int number;
    switch (family) {
    case am_inet: return inet_from(map, to);
    case am_inet6: return inet6_from(map, to);
    case am_local: return local_from(map, to);
    case am_unspec: return bytes_of_family(map, AF_UNSPEC, to);
    default: return socket_int_from(family, &number) && bytes_of_family(map, number, to);
    }
}

/* --- To terms --- */

static Term inet_term(Area *area, const SocketAddress *from) {
    Term pairs[] = {am_family, am_inet,
                    am_port,   small_make(ntohs(from->inet.sin_port)),
                    am_addr,   socket_ip4_term(area, &from->inet.sin_addr)};
    return map_from_pairs(area, pairs, 3);
}

static Term inet6_term(Area *area, const SocketAddress *from) {
    Term pairs[] = {am_family,   am_inet6,
                    am_port,     small_make(ntohs(from->inet6.sin6_port)),
                    am_addr,     socket_ip6_term(area, &from->inet6.sin6_addr),
                    am_flowinfo, small_make(ntohl(from->inet6.sin6_flowinfo)),
                    am_scope_id, small_make(from->inet6.sin6_scope_id)};
    return map_from_pairs(area, pairs, 5);
}

static Term local_term(Area *area, const SocketAddress *from) {
    size_t before = offsetof(struct sockaddr_un, sun_path), count = from->size > before ? from->size - before : 0;
    if (count > 0 && from->local.sun_path[0] != '\0')
        count = strnlen(from->local.sun_path, count);
    Term pairs[] = {am_family, am_local, am_path, binary_from_bytes(area, from->local.sun_path, count)};
    return map_from_pairs(area, pairs, 2);
}

static Term packet_term(Area *area, const SocketAddress *from) {
    struct sockaddr_ll link;
    memcpy(&link, from->bytes, sizeof link);
    size_t most = sizeof from->storage - offsetof(struct sockaddr_ll, sll_addr);
    size_t count = link.sll_halen < most ? link.sll_halen : most;
    Term pairs[] = {am_family,   am_packet,
                    am_protocol, small_make(ntohs(link.sll_protocol)),
                    am_ifindex,  small_make(link.sll_ifindex),
                    am_hatype,   socket_name_of(socket_hardware_types, link.sll_hatype),
                    am_pkttype,  socket_name_of(socket_packet_types, link.sll_pkttype),
                    am_addr,     binary_from_bytes(area, from->bytes + offsetof(struct sockaddr_ll, sll_addr), count)};
    return map_from_pairs(area, pairs, 6);
}

static Term other_term(Area *area, const SocketAddress *from) {
    size_t before = offsetof(struct sockaddr, sa_data), count = from->size > before ? from->size - before : 0;
    Term family = from->any.sa_family == AF_UNSPEC ? am_unspec : small_make(from->any.sa_family);
    Term pairs[] = {am_family, family, am_addr, binary_from_bytes(area, from->bytes + before, count)};
    return map_from_pairs(area, pairs, 2);
}

Term socket_address_term(Area *area, const SocketAddress *from) {
    switch (from->size < sizeof(sa_family_t) ? AF_UNSPEC : from->any.sa_family) {
    case AF_INET: return inet_term(area, from);
    case AF_INET6: return inet6_term(area, from);
    case AF_LOCAL: return local_term(area, from);
    case AF_PACKET: return packet_term(area, from);
    default: return other_term(area, from);
    }
}

Term socket_address_of(Area *area, const void *from, size_t size) {
    if (from == NULL)
        return am_undefined;
    SocketAddress a = {.size = (socklen_t)size};
    memcpy(a.bytes, from, size < sizeof a.storage ? size : sizeof a.storage);
    return socket_address_term(area, &a);
}
