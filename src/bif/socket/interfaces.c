/* prim_net:getifaddrs: the addresses of the system's interfaces. */
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <string.h>

#include "bif/argument.h"
#include "bif/socket/native.h"
#include "sys/network_space.h"
#include "bif_table.h"
#include "socket/address.h"
#include "socket/names.h"
#include "term/map.h"

static size_t size_of(const struct sockaddr *a) {
    switch (a->sa_family) {
    case AF_INET: return sizeof(struct sockaddr_in);
    case AF_INET6: return sizeof(struct sockaddr_in6);
    case AF_PACKET: return sizeof(struct sockaddr_ll);
    default: return sizeof *a;
    }
}

static Term flags_term(Area *area, unsigned flags) {
    Term list = NIL;
    size_t count = 0;
    while (is_value(socket_interface_flags[count].name))
        count++;
    while (count-- > 0)
        if (flags & 0xffff & (unsigned)socket_interface_flags[count].number)
            list = area_cons(area, socket_interface_flags[count].name, list);
    return list;
}

typedef struct {
    Term pairs[10];
    size_t count;
} Pairs;

static void add(Pairs *to, Term key, Term value) {
    to->pairs[2 * to->count] = key;
    to->pairs[2 * to->count++ + 1] = value;
}

static void add_address(Pairs *to, Area *area, Term key, const struct sockaddr *a) {
    if (a != NULL)
        add(to, key, socket_address_of(area, a, size_of(a)));
}

static Term interface_term(Area *area, const struct ifaddrs *i) {
    Pairs pairs = {.count = 0};
    add(&pairs, am_name, list_from_bytes(area, i->ifa_name, strlen(i->ifa_name), NIL));
    add(&pairs, am_flags, flags_term(area, i->ifa_flags));
    add_address(&pairs, area, am_addr, i->ifa_addr);
    add_address(&pairs, area, am_netmask, i->ifa_netmask);
    if (i->ifa_flags & IFF_BROADCAST)
        add_address(&pairs, area, am_broadaddr, i->ifa_broadaddr);
    else if (i->ifa_flags & IFF_POINTOPOINT)
        add_address(&pairs, area, am_dstaddr, i->ifa_dstaddr);
    return map_from_pairs(area, pairs.pairs, pairs.count);
}

static Term all(Process *p) {
    struct ifaddrs *found;
    Area *area = process_area(p);
    if (getifaddrs(&found) != 0)
        return native_posix(p, errno);
    Term list = NIL, *end = &list;
    for (const struct ifaddrs *i = found; i != NULL; i = i->ifa_next) {
        *end = area_cons(area, interface_term(area, i), NIL);
        end = list_ptr(*end) + 1;
    }
    freeifaddrs(found);
    return native_ok(p, list);
}

/* getifaddrs(#{netns => Path}), or of where the runtime is */
Term prim_net_getifaddrs(Process *p, const Term *a) {
    Term space = socket_map_value(a[0], am_netns);
    NetworkSpace there;
    TEXT(path);
    if (!is_value(space))
        return all(p);
    if (!text_from_latin1_list(&path, space))
        return native_badarg(p);
    if (!network_space_enter(&there, text_cstring(&path)))
        return native_posix(p, errno);
    Term result = all(p);
    network_space_leave(&there);
    return result;
}
