/* ioctl: what the system tells and takes of network interfaces, through a socket. */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/socket/native.h"
#include "bif_table.h"
#include "socket/address.h"
#include "socket/names.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/map.h"

/* 0, or an error number; -1: the socket is closed. */
static int ask(Socket *s, unsigned long request, void *data) {
    mutex_lock(&s->read_lock);
    int error = s->closing ? -1 : ioctl(s->fd, request, data) == 0 ? 0 : errno;
    mutex_unlock(&s->read_lock);
    return error;
}

static Term failed(Process *p, int error) { return error < 0 ? socket_failed(p, am_closed) : native_posix(p, error); }

static bool request_from(Term t, uint64_t *to) {
    return is_integer(t) && !integer_is_negative(t) && integer_to_uint64(t, to);
}

static bool interface_from(Term list, struct ifreq *to) {
    size_t count = 0;
    memset(to, 0, sizeof *to);
    for (; is_list(list) && count < IFNAMSIZ - 1; list = list_tail(list), count++) {
        int byte;
        if (!socket_int_from(list_head(list), &byte) || byte < 1 || byte > 255)
            return false;
        to->ifr_name[count] = (char)byte;
    }
    return is_nil(list);
}

static Term name_term(Area *area, const char *name) {
    return list_from_bytes(area, name, strnlen(name, IFNAMSIZ), NIL);
}

static Term address_term(Area *area, const struct sockaddr *address) {
    return socket_address_of(area, address,
                             address->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof *address);
}

/* --- All interfaces --- */

static Term interfaces_term(Area *area, const struct ifreq *all, size_t count) {
    Term list = NIL;
    while (count-- > 0) {
        Term pairs[] = {am_name, name_term(area, all[count].ifr_name), am_addr,
                        address_term(area, &all[count].ifr_addr)};
        list = area_cons(area, map_from_pairs(area, pairs, 2), list);
    }
    return list;
}

#define INTERFACES_MAX 256

static Term interfaces(Process *p, Socket *s) {
    struct ifreq *all = mem_alloc(ALLOC_TEMP, INTERFACES_MAX * sizeof *all);
    struct ifconf c = {.ifc_len = INTERFACES_MAX * sizeof *all, .ifc_req = all};
    int error = ask(s, SIOCGIFCONF, &c);
    Term result =
        error ? failed(p, error) : native_ok(p, interfaces_term(process_area(p), all, (size_t)c.ifc_len / sizeof *all));
    mem_free(ALLOC_TEMP, all);
    return result;
}

/* ioctl(Socket, Request) */
Term prim_socket_ioctl_2(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    uint64_t request;
    if (!request_from(a[1], &request))
        return native_badarg(p);
    return request == SIOCGIFCONF ? interfaces(p, s) : native_posix(p, ENOTSUP);
}

/* --- Reading --- */

static Term flags_term(Area *area, const struct ifreq *r) {
    Term list = NIL;
    size_t count = 0;
    while (is_value(socket_interface_flags[count].name))
        count++;
    while (count-- > 0)
        if ((uint16_t)r->ifr_flags & socket_interface_flags[count].number)
            list = area_cons(area, socket_interface_flags[count].name, list);
    return list;
}

static Term map_term(Area *area, const struct ifreq *r) {
    Term pairs[] = {am_mem_start, integer_from_uint64(area, r->ifr_map.mem_start),
                    am_mem_end,   integer_from_uint64(area, r->ifr_map.mem_end),
                    am_base_addr, small_make(r->ifr_map.base_addr),
                    am_irq,       small_make(r->ifr_map.irq),
                    am_dma,       small_make(r->ifr_map.dma),
                    am_port,      small_make(r->ifr_map.port)};
    return map_from_pairs(area, pairs, 6);
}

/* The family is a kind of hardware here. */
static Term hardware_term(Area *area, const struct ifreq *r) {
    const struct sockaddr *h = &r->ifr_hwaddr;
    Term pairs[] = {am_family, socket_name_of(socket_hardware_types, h->sa_family), am_addr,
                    binary_from_bytes(area, h->sa_data, sizeof h->sa_data)};
    return map_from_pairs(area, pairs, 2);
}

static Term told(Area *area, uint64_t request, const struct ifreq *r) {
    switch (request) {
    case SIOCGIFNAME: return name_term(area, r->ifr_name);
    case SIOCGIFINDEX: return small_make(r->ifr_ifindex);
    case SIOCGIFFLAGS: return flags_term(area, r);
    case SIOCGIFMTU: return small_make(r->ifr_mtu);
    case SIOCGIFTXQLEN: return small_make(r->ifr_qlen);
    case SIOCGIFMAP: return map_term(area, r);
    case SIOCGIFHWADDR: return hardware_term(area, r);
    default: return address_term(area, &r->ifr_addr);
    }
}

static bool is_read(uint64_t request) {
    return request == SIOCGIFNAME || request == SIOCGIFINDEX || request == SIOCGIFFLAGS || request == SIOCGIFMTU ||
           request == SIOCGIFTXQLEN || request == SIOCGIFMAP || request == SIOCGIFHWADDR || request == SIOCGIFADDR ||
           request == SIOCGIFDSTADDR || request == SIOCGIFBRDADDR || request == SIOCGIFNETMASK;
}

/* ioctl(Socket, Request, NameOrIndex) */
Term prim_socket_ioctl_3(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    uint64_t request;
    struct ifreq r = {0};
    if (!request_from(a[1], &request))
        return native_badarg(p);
    if (!is_read(request))
        return native_posix(p, ENOTSUP);
    if (request == SIOCGIFNAME ? !socket_int_from(a[2], &r.ifr_ifindex) : !interface_from(a[2], &r))
        return native_badarg(p);
    int error = ask(s, request, &r);
    return error ? failed(p, error) : native_ok(p, told(process_area(p), request, &r));
}

/* --- Writing --- */

/* #{Flag => boolean()}: the others stay. */
static int change_flags(Socket *s, struct ifreq *r, Term map) {
    int flag;
    MapIterator it;
    Term key, value;
    map_iterator_init(&it, map);
    for (unsigned flags = (uint16_t)r->ifr_flags; map_iterator_next(&it, &key, &value);) {
        if (!socket_int_from(key, &flag))
            return EINVAL;
        flags = value == am_true ? flags | (unsigned)flag : flags & ~(unsigned)flag;
        r->ifr_flags = (short)flags;
    }
    return ask(s, SIOCSIFFLAGS, r);
}

static Term set_flags(Process *p, Socket *s, struct ifreq *r, Term flags) {
    int error = ask(s, SIOCGIFFLAGS, r);
    if (error)
        return failed(p, error);
    return is_flat_map(flags) || is_hash_map(flags) ? failed(p, change_flags(s, r, flags)) : native_badarg(p);
}

static bool address_from(Term t, struct ifreq *r) {
    SocketAddress address;
    if (!socket_address_from(t, &address) || address.size > sizeof r->ifr_addr)
        return false;
    memcpy(&r->ifr_addr, &address.any, address.size);
    return true;
}

/* NON_VALUE, or what the value should have been. */
static Term value_from(uint64_t request, Term t, struct ifreq *r) {
    switch (request) {
    case SIOCSIFMTU: return socket_int_from(t, &r->ifr_mtu) ? NON_VALUE : am_mtu;
    case SIOCSIFTXQLEN: return socket_int_from(t, &r->ifr_qlen) ? NON_VALUE : am_txqlen;
    default: return address_from(t, r) ? NON_VALUE : am_sockaddr;
    }
}

static bool is_written(uint64_t request) {
    return request == SIOCSIFFLAGS || request == SIOCSIFMTU || request == SIOCSIFTXQLEN || request == SIOCSIFADDR ||
           request == SIOCSIFDSTADDR || request == SIOCSIFBRDADDR || request == SIOCSIFNETMASK;
}

/* ioctl(Socket, Request, Name, Value) */
Term prim_socket_ioctl_4(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    uint64_t request;
    struct ifreq r;
    if (!request_from(a[1], &request))
        return native_badarg(p);
    if (!is_written(request))
        return native_posix(p, ENOTSUP);
    if (!interface_from(a[2], &r))
        return native_badarg(p);
    if (request == SIOCSIFFLAGS)
        return set_flags(p, s, &r, a[3]);
    Term wrong = value_from(request, a[3], &r);
    return is_value(wrong) ? socket_invalid(p, wrong) : failed(p, ask(s, request, &r));
}
