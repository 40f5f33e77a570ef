#include "inet/option_other.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

#include "alloc/alloc.h"
#include "inet/control_message.h"
#include "inet/tell.h"
#include "term/atom.h"

static Term result_of(int result) { return result == 0 ? am_ok : am_einval; }

/* --- linger ------------------------------------------------------------------------------------------------------- */

static Term set_linger(Inet *d, int32_t on, Reader *r) {
    struct linger l = {.l_onoff = on, .l_linger = (int)reader_u32(r)};
    if (r->bad)
        return am_einval;
    (void)setsockopt(d->fd, SOL_SOCKET, SO_LINGER, &l, sizeof l);
    return am_ok;
}

static Term get_linger(const Inet *d, Text *answer) {
    struct linger l;
    socklen_t size = sizeof l;
    if (getsockopt(d->fd, SOL_SOCKET, SO_LINGER, &l, &size) != 0)
        return am_ok;
    text_byte(answer, OPTION_LINGER);
    inet_put_u32(answer, (uint32_t)l.l_onoff);
    inet_put_u32(answer, (uint32_t)l.l_linger);
    return am_ok;
}

/* --- active ------------------------------------------------------------------------------------------------------- */

void inet_become_passive(Inet *d) {
    d->active = INET_PASSIVE;
    d->active_count = 0;
    inet_tell(d, inet_owner(d), d->driver->passive_tag);
}

static Term add_to_count(Inet *d, int more) {
    int count = (d->active == INET_ACTIVE_COUNTED ? d->active_count : 0) + more;
    if (count > INT16_MAX || count < INT16_MIN)
        return am_einval;
    d->active = INET_ACTIVE_COUNTED;
    d->active_count = (int16_t)count;
    if (count <= 0)
        inet_become_passive(d);
    return am_ok;
}

static Term set_active(Inet *d, int32_t value, Reader *r) {
    if (value == INET_ACTIVE_COUNTED) {
        int16_t more = (int16_t)reader_u16(r);
        return r->bad ? am_einval : add_to_count(d, more);
    }
    d->active = value;
    d->active_count = 0;
    return am_ok;
}

static Term get_active(const Inet *d, Text *answer) {
    text_byte(answer, OPTION_ACTIVE);
    inet_put_u32(answer, (uint32_t)d->active);
    if (d->active == INET_ACTIVE_COUNTED)
        inet_put_u16(answer, (uint16_t)d->active_count);
    return am_ok;
}

/* --- raw options -------------------------------------------------------------------------------------------------- */

static Term set_raw(Inet *d, int32_t level, Reader *r) {
    int name = (int)reader_u32(r);
    uint32_t size = reader_u32(r);
    const uint8_t *bytes = reader_take(r, size);
    if (r->bad)
        return am_einval;
    (void)setsockopt(d->fd, level, name, bytes, size);
    return am_ok;
}

static void put_raw(Text *answer, int level, int name, const void *bytes, size_t size) {
    text_byte(answer, OPTION_RAW);
    inet_put_u32(answer, (uint32_t)level);
    inet_put_u32(answer, (uint32_t)name);
    inet_put_u32(answer, (uint32_t)size);
    text_bytes(answer, bytes, size);
}

#define RAW_MAX (64 * 1024 - 14) /* with what stands before it in the answer, 64 KB */

/* The room for it is given by what is in it, or by its size. */
static Term get_raw(const Inet *d, Reader *r, Text *answer) {
    int level = (int)reader_u32(r), name = (int)reader_u32(r);
    bool is_filled = reader_u8(r) != 0;
    socklen_t size = reader_u32(r);
    const uint8_t *bytes = is_filled ? reader_take(r, size) : NULL;
    if (r->bad || size > RAW_MAX)
        return am_einval;
    char *room = mem_calloc(ALLOC_TEMP, size + 1);
    if (bytes != NULL)
        memcpy(room, bytes, size);
    if (getsockopt(d->fd, level, name, room, &size) == 0)
        put_raw(answer, level, name, room, size);
    mem_free(ALLOC_TEMP, room);
    return am_ok;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void put_text(Text *answer, unsigned number, const char *text, size_t size) {
    text_byte(answer, (char)number);
    inet_put_u32(answer, (uint32_t)size);
    text_bytes(answer, text, size);
}

static Term set_device(Inet *d, int32_t size, Reader *r) {
    char name[IFNAMSIZ] = {0};
    const uint8_t *bytes = size < 0 ? NULL : reader_take(r, (size_t)size);
    if (bytes == NULL || size >= IFNAMSIZ)
        return am_einval;
    memcpy(name, bytes, (size_t)size);
    return result_of(setsockopt(d->fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)size));
}

static Term get_device(const Inet *d, Text *answer) {
    char name[IFNAMSIZ] = {0};
    socklen_t size = sizeof name;
    if (getsockopt(d->fd, SOL_SOCKET, SO_BINDTODEVICE, name, &size) == 0)
        put_text(answer, OPTION_BIND_TO_DEVICE, name, strnlen(name, size));
    return am_ok;
}

static Term set_network_space(Inet *d, int32_t size, Reader *r) {
    const uint8_t *bytes = size < 0 ? NULL : reader_take(r, (size_t)size);
    if (bytes == NULL)
        return am_einval;
    char *name = mem_calloc(ALLOC_PORT, (size_t)size + 1);
    memcpy(name, bytes, (size_t)size);
    mem_free(ALLOC_PORT, d->network_space);
    d->network_space = name;
    return am_ok;
}

static Term get_network_space(const Inet *d, Text *answer) {
    if (d->network_space != NULL)
        put_text(answer, OPTION_NETNS, d->network_space, strlen(d->network_space));
    return am_ok;
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

/* Whether the system has joined or left one is not told. */

static Term set_group_inet(const Inet *d, unsigned number, Reader *r) {
    struct ip_mreqn group = {.imr_ifindex = (int)reader_u32(r)};
    group.imr_multiaddr.s_addr = htonl(reader_u32(r));
    group.imr_address.s_addr = htonl(reader_u32(r));
    int name = number == OPTION_ADD_MEMBERSHIP ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP;
    if (r->bad)
        return am_einval;
    (void)setsockopt(d->fd, IPPROTO_IP, name, &group, sizeof group);
    return am_ok;
}

static Term set_group_inet6(const Inet *d, unsigned number, Reader *r) {
    struct ipv6_mreq group = {.ipv6mr_interface = reader_u32(r)};
    const uint8_t *address = reader_take(r, sizeof group.ipv6mr_multiaddr);
    if (address == NULL)
        return am_einval;
    memcpy(&group.ipv6mr_multiaddr, address, sizeof group.ipv6mr_multiaddr);
    int name = number == OPTION_ADD_MEMBERSHIP ? IPV6_ADD_MEMBERSHIP : IPV6_DROP_MEMBERSHIP;
    (void)setsockopt(d->fd, IPPROTO_IPV6, name, &group, sizeof group);
    return am_ok;
}

static Term set_group(const Inet *d, unsigned number, int32_t family, Reader *r) {
    if (family == FAMILY_INET && d->domain == AF_INET)
        return set_group_inet(d, number, r);
    return family == FAMILY_INET6 && d->domain == AF_INET6 ? set_group_inet6(d, number, r) : am_einval;
}

/* The one that multicasts leave by: an address, or with inet6 an interface's number. */
static Term set_multicast_interface(const Inet *d, int32_t value) {
    struct in_addr address = {htonl((uint32_t)value)};
    if (d->domain == AF_INET6)
        (void)setsockopt(d->fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &value, sizeof value);
    else
        (void)setsockopt(d->fd, IPPROTO_IP, IP_MULTICAST_IF, &address, sizeof address);
    return d->fd < 0 || (d->domain != AF_INET && d->domain != AF_INET6) ? am_einval : am_ok;
}

static Term get_multicast_interface(const Inet *d, Text *answer) {
    bool is_inet6 = d->domain == AF_INET6;
    uint32_t value = 0;
    socklen_t size = sizeof value;
    if (d->fd < 0 || (d->domain != AF_INET && !is_inet6))
        return am_einval;
    int level = is_inet6 ? IPPROTO_IPV6 : IPPROTO_IP, name = is_inet6 ? IPV6_MULTICAST_IF : IP_MULTICAST_IF;
    if (getsockopt(d->fd, level, name, &value, &size) != 0)
        return am_ok;
    text_byte(answer, OPTION_MULTICAST_IF);
    inet_put_u32(answer, is_inet6 ? value : ntohl(value));
    inet_put_u32(answer, is_inet6 ? FAMILY_INET6 : FAMILY_INET);
    return am_ok;
}

/* --- control messages --------------------------------------------------------------------------------------------- */

#define CONTROL_ROOM 1024

/* Those of a stream's last packet. */
static Term get_control_messages(const Inet *d, Text *answer) {
    char room[CONTROL_ROOM] __attribute__((aligned(8)));
    socklen_t size = sizeof room;
    bool is_inet6 = d->domain == AF_INET6;
    int level = is_inet6 ? IPPROTO_IPV6 : IPPROTO_IP, name = is_inet6 ? IPV6_2292PKTOPTIONS : IP_PKTOPTIONS;
    if (d->fd < 0 || (d->domain != AF_INET && !is_inet6))
        return am_einval;
    if (getsockopt(d->fd, level, name, room, &size) != 0)
        return d->driver->type == SOCK_STREAM ? am_einval : am_ok;
    struct msghdr message = {.msg_control = room, .msg_controllen = size};
    TEXT(options);
    inet_control_messages_put(&message, &options);
    put_text(answer, OPTION_PKTOPTIONS, options.bytes, options.size);
    return am_ok;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

Term inet_other_option_set(Inet *d, unsigned number, int32_t value, Reader *r) {
    switch (number) {
    case OPTION_LINGER: return set_linger(d, value, r);
    case OPTION_ACTIVE: return set_active(d, value, r);
    case OPTION_RAW: return set_raw(d, value, r);
    case OPTION_BIND_TO_DEVICE: return set_device(d, value, r);
    case OPTION_NETNS: return set_network_space(d, value, r);
    case OPTION_MULTICAST_IF: return set_multicast_interface(d, value);
    case OPTION_ADD_MEMBERSHIP:
    case OPTION_DROP_MEMBERSHIP: return set_group(d, number, value, r);
    default: return am_einval;
    }
}

Term inet_other_option_get(Inet *d, unsigned number, Reader *r, Text *answer) {
    switch (number) {
    case OPTION_LINGER: return get_linger(d, answer);
    case OPTION_ACTIVE: return get_active(d, answer);
    case OPTION_RAW: return get_raw(d, r, answer);
    case OPTION_BIND_TO_DEVICE: return get_device(d, answer);
    case OPTION_NETNS: return get_network_space(d, answer);
    case OPTION_MULTICAST_IF: return get_multicast_interface(d, answer);
    case OPTION_PKTOPTIONS: return get_control_messages(d, answer);
    default: return am_einval;
    }
}
