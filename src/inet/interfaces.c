#include "inet/interfaces.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <string.h>
#include <sys/ioctl.h>

#include "alloc/alloc.h"
#include "term/atom.h"

/* Properties, as prim_inet has them. */
enum {
    PROPERTY_ADDRESS = 1,
    PROPERTY_BROADCAST,
    PROPERTY_DESTINATION,
    PROPERTY_MTU,
    PROPERTY_NETMASK,
    PROPERTY_FLAGS,
    PROPERTY_HARDWARE
};

/* --- flags -------------------------------------------------------------------------------------------------------- */

/* To be switched off, too, where that can be asked for. One that is up runs, it is told, with a carrier or without. */
static const struct {
    uint32_t on, off;
    short system;
} flags[] = {{0x01, 0x0100, IFF_UP},  {0x02, 0x0200, IFF_BROADCAST},
             {0x04, 0, IFF_LOOPBACK}, {0x08, 0x0800, IFF_POINTOPOINT},
             {0x10, 0, IFF_UP},       {0x20, 0, IFF_MULTICAST}};

static uint32_t flags_of(unsigned system) {
    uint32_t all = 0;
    for (size_t i = 0; i < array_length(flags); i++)
        if (system & (unsigned)flags[i].system)
            all |= flags[i].on;
    return all;
}

static short flags_after(short system, uint32_t wanted) {
    for (size_t i = 0; i < array_length(flags); i++) {
        bool can_be_set = flags[i].off != 0;
        if (can_be_set && wanted & flags[i].on)
            system |= flags[i].system;
        if (can_be_set && wanted & flags[i].off)
            system &= (short)~flags[i].system;
    }
    return system;
}

/* --- one interface ------------------------------------------------------------------------------------------------ */

static bool take_name(Reader *r, struct ifreq *request) {
    size_t size = reader_u8(r);
    const uint8_t *name = reader_take(r, size);
    if (r->bad)
        return false;
    *request = (struct ifreq){0};
    memcpy(request->ifr_name, name, size < IFNAMSIZ ? size : IFNAMSIZ - 1);
    return true;
}

static void put_address(Text *answer, unsigned property, const struct sockaddr *a) {
    bool is_inet = a->sa_family == AF_INET;
    text_byte(answer, (char)property);
    text_byte(answer, is_inet ? FAMILY_INET : FAMILY_INET6);
    if (is_inet)
        text_bytes(answer, &((const struct sockaddr_in *)a)->sin_addr, sizeof(struct in_addr));
    else
        text_bytes(answer, &((const struct sockaddr_in6 *)a)->sin6_addr, sizeof(struct in6_addr));
}

static void put_number(Text *answer, unsigned property, uint32_t value) {
    text_byte(answer, (char)property);
    inet_put_u32(answer, value);
}

static void put_hardware(Text *answer, const void *bytes, size_t size) {
    text_byte(answer, PROPERTY_HARDWARE);
    inet_put_u16(answer, (unsigned)size);
    text_bytes(answer, bytes, size);
}

static bool ask(const Inet *d, unsigned long what, struct ifreq *request) { return ioctl(d->fd, what, request) == 0; }

static void get_address(const Inet *d, struct ifreq request, unsigned long what, unsigned property, Text *answer) {
    if (ask(d, what, &request) && request.ifr_addr.sa_family == AF_INET)
        put_address(answer, property, &request.ifr_addr);
}

static void get_mtu(const Inet *d, struct ifreq request, Text *answer) {
    if (ask(d, SIOCGIFMTU, &request))
        put_number(answer, PROPERTY_MTU, (uint32_t)request.ifr_mtu);
}

/* One that is not there has none. */
static void get_flags(const Inet *d, struct ifreq request, Text *answer) {
    bool is_there = ask(d, SIOCGIFFLAGS, &request);
    put_number(answer, PROPERTY_FLAGS, is_there ? flags_of((unsigned short)request.ifr_flags) : 0);
}

static void get_hardware(const Inet *d, struct ifreq request, Text *answer) {
    if (ask(d, SIOCGIFHWADDR, &request))
        put_hardware(answer, request.ifr_hwaddr.sa_data, IFHWADDRLEN);
}

/* False: there is no such property. What the system does not tell is left out. */
static bool get_property(const Inet *d, const struct ifreq *request, unsigned property, Text *answer) {
    switch (property) {
    case PROPERTY_ADDRESS: get_address(d, *request, SIOCGIFADDR, property, answer); return true;
    case PROPERTY_BROADCAST: get_address(d, *request, SIOCGIFBRDADDR, property, answer); return true;
    case PROPERTY_DESTINATION: get_address(d, *request, SIOCGIFDSTADDR, property, answer); return true;
    case PROPERTY_NETMASK: get_address(d, *request, SIOCGIFNETMASK, property, answer); return true;
    case PROPERTY_MTU: get_mtu(d, *request, answer); return true;
    case PROPERTY_FLAGS: get_flags(d, *request, answer); return true;
    case PROPERTY_HARDWARE: get_hardware(d, *request, answer); return true;
    default: return false;
    }
}

Term inet_interface_get(Inet *d, Reader *r, Text *answer) {
    struct ifreq request;
    if (d->fd < 0)
        return am_exbadport;
    if (!take_name(r, &request))
        return am_einval;
    while (reader_left(r) > 0)
        if (!get_property(d, &request, reader_u8(r), answer))
            return am_einval;
    return am_ok;
}

/* --- setting ------------------------------------------------------------------------------------------------------ */

/* Whether the system does it is not told. */
static bool set_address(const Inet *d, struct ifreq request, unsigned long what, Reader *r) {
    struct sockaddr_in to = {.sin_family = AF_INET};
    unsigned family = reader_u8(r);
    to.sin_addr.s_addr = htonl(reader_u32(r));
    if (r->bad || family != FAMILY_INET)
        return false;
    memcpy(&request.ifr_addr, &to, sizeof to);
    (void)ask(d, what, &request);
    return true;
}

static bool set_mtu(const Inet *d, struct ifreq request, Reader *r) {
    request.ifr_mtu = (int)reader_u32(r);
    if (!r->bad)
        (void)ask(d, SIOCSIFMTU, &request);
    return !r->bad;
}

static bool set_flags(const Inet *d, struct ifreq request, Reader *r) {
    uint32_t wanted = reader_u32(r);
    if (r->bad)
        return false;
    if (!ask(d, SIOCGIFFLAGS, &request))
        return true;
    request.ifr_flags = flags_after(request.ifr_flags, wanted);
    (void)ask(d, SIOCSIFFLAGS, &request);
    return true;
}

static bool set_hardware(const Inet *d, struct ifreq request, Reader *r) {
    size_t size = reader_u16(r), room = sizeof request.ifr_hwaddr.sa_data;
    const uint8_t *bytes = reader_take(r, size);
    if (r->bad)
        return false;
    memcpy(request.ifr_hwaddr.sa_data, bytes, size < room ? size : room);
    request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    (void)ask(d, SIOCSIFHWADDR, &request);
    return true;
}

static bool set_property(const Inet *d, const struct ifreq *request, Reader *r) {
    switch (reader_u8(r)) {
    case PROPERTY_ADDRESS: return set_address(d, *request, SIOCSIFADDR, r);
    case PROPERTY_BROADCAST: return set_address(d, *request, SIOCSIFBRDADDR, r);
    case PROPERTY_DESTINATION: return set_address(d, *request, SIOCSIFDSTADDR, r);
    case PROPERTY_NETMASK: return set_address(d, *request, SIOCSIFNETMASK, r);
    case PROPERTY_MTU: return set_mtu(d, *request, r);
    case PROPERTY_FLAGS: return set_flags(d, *request, r);
    case PROPERTY_HARDWARE: return set_hardware(d, *request, r);
    default: return false;
    }
}

Term inet_interface_set(Inet *d, Reader *r, Text *answer) {
    struct ifreq request;
    if (d->fd < 0)
        return am_exbadport;
    if (!take_name(r, &request))
        return am_einval;
    while (reader_left(r) > 0)
        if (!set_property(d, &request, r))
            return am_einval;
    return am_ok;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

#define MORE 4 /* that may be added between two questions */

/* Those that have an address of inet. */
Term inet_interfaces(Inet *d, Reader *r, Text *answer) {
    struct ifconf all = {0};
    if (d->fd < 0)
        return am_exbadport;
    if (ioctl(d->fd, SIOCGIFCONF, &all) != 0)
        return inet_error(errno);
    all.ifc_len += MORE * (int)sizeof(struct ifreq);
    all.ifc_req = mem_alloc(ALLOC_TEMP, (size_t)all.ifc_len);
    bool is_told = ioctl(d->fd, SIOCGIFCONF, &all) == 0;
    size_t count = is_told ? (size_t)all.ifc_len / sizeof(struct ifreq) : 0;
    for (size_t i = 0; i < count; i++) {
        text_bytes(answer, all.ifc_req[i].ifr_name, strnlen(all.ifc_req[i].ifr_name, IFNAMSIZ));
        text_byte(answer, 0);
    }
    mem_free(ALLOC_TEMP, all.ifc_req);
    return am_ok;
}

static void put_any(Text *answer, unsigned property, const struct sockaddr *a) {
    if (a == NULL)
        return;
    const struct sockaddr_ll *link = (const struct sockaddr_ll *)a;
    if (a->sa_family == AF_INET || a->sa_family == AF_INET6)
        put_address(answer, property, a);
    else if (a->sa_family == AF_PACKET && property == PROPERTY_ADDRESS && link->sll_halen > 0)
        put_hardware(answer, link->sll_addr, link->sll_halen);
}

static void put_interface(Text *answer, const struct ifaddrs *i) {
    text_bytes(answer, i->ifa_name, strlen(i->ifa_name));
    text_byte(answer, 0);
    put_number(answer, PROPERTY_FLAGS, flags_of(i->ifa_flags));
    put_any(answer, PROPERTY_ADDRESS, i->ifa_addr);
    put_any(answer, PROPERTY_NETMASK, i->ifa_netmask);
    if (i->ifa_flags & IFF_POINTOPOINT)
        put_any(answer, PROPERTY_DESTINATION, i->ifa_dstaddr);
    else if (i->ifa_flags & IFF_BROADCAST)
        put_any(answer, PROPERTY_BROADCAST, i->ifa_broadaddr);
    text_byte(answer, 0);
}

Term inet_interface_addresses(Inet *d, Reader *r, Text *answer) {
    struct ifaddrs *all;
    if (d->fd < 0)
        return am_exbadport;
    if (getifaddrs(&all) != 0)
        return inet_error(errno);
    for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next)
        put_interface(answer, i);
    freeifaddrs(all);
    return am_ok;
}
