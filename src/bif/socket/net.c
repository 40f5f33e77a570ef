/* Natives of prim_net: names and addresses. What asks others, or reads files, runs on dirty threads. */
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include "bif/argument.h"
#include "bif/socket/native.h"
#include "bif_table.h"
#include "socket/address.h"
#include "socket/names.h"
#include "term/map.h"

#define NAME_ROOM 1025

Term prim_net_info(Process *p, const Term *a) {
    Term pairs[] = {am_debug, am_false};
    return map_from_pairs(process_area(p), pairs, 1);
}

/* There is nothing to be told. */
Term prim_net_command(Process *p, const Term *a) { return native_posix(p, EINVAL); }

static Term text_term(Area *area, const char *text) { return list_from_bytes(area, text, strlen(text), NIL); }

Term prim_net_gethostname(Process *p, const Term *a) {
    char name[NAME_ROOM] = "";
    if (gethostname(name, sizeof name - 1) != 0)
        return native_posix(p, errno);
    return native_ok(p, text_term(process_area(p), name));
}

/* What only another system has. */
Term prim_net_of_windows(Process *p, const Term *a) { return native_error(p, am_notsup); }

/* The resolver's errors, as names of their own. */
static Term lookup_failed(Process *p, int error) {
    static const struct {
        int error;
        Term name;
    } names[] = {{EAI_AGAIN, am_eagain},       {EAI_BADFLAGS, am_ebadflags}, {EAI_FAIL, am_efail},
                 {EAI_FAMILY, am_efamily},     {EAI_MEMORY, am_emem},        {EAI_NONAME, am_enoname},
                 {EAI_OVERFLOW, am_eoverflow}, {EAI_SERVICE, am_eservice},   {EAI_SOCKTYPE, am_esocktype},
                 {EAI_SYSTEM, am_esystem},     {EAI_NODATA, am_enodata},     {EAI_ADDRFAMILY, am_eaddrfamily}};
    for (size_t i = 0; i < array_length(names); i++)
        if (names[i].error == error)
            return socket_failed(p, names[i].name);
    return native_posix(p, EINVAL);
}

/* --- getnameinfo --- */

/* What stands behind the last one is not looked at. */
static bool name_flags_from(Term list, int *flags) {
    static const SocketName names[] = {{am_dgram, NI_DGRAM},
                                       {am_idn, NI_IDN},
                                       {am_namereqd, NI_NAMEREQD},
                                       {am_nofqdn, NI_NOFQDN},
                                       {am_numerichost, NI_NUMERICHOST},
                                       {am_numericserv, NI_NUMERICSERV},
                                       {NON_VALUE, 0}};
    bool is_good = is_list(list) || is_nil(list) || list == am_undefined;
    for (*flags = 0; is_list(list); list = list_tail(list)) {
        int flag;
        if (!socket_number_of_name(names, list_head(list), &flag))
            return false;
        *flags |= flag;
    }
    return is_good;
}

/* getnameinfo(Address, Flags) */
Term prim_net_getnameinfo(Process *p, const Term *a) {
    SocketAddress address;
    int flags;
    char host[NAME_ROOM] = "", service[NAME_ROOM] = "";
    if (!socket_address_from(a[0], &address))
        return native_posix(p, EINVAL);
    if (!name_flags_from(a[1], &flags))
        return native_badarg(p);
    int error = getnameinfo(&address.any, address.size, host, sizeof host, service, sizeof service, flags);
    if (error != 0)
        return lookup_failed(p, error);
    Area *area = process_area(p);
    Term pairs[] = {am_host, text_term(area, host), am_service, text_term(area, service)};
    return native_ok(p, map_from_pairs(area, pairs, 2));
}

/* --- getaddrinfo --- */

static Term address_info_term(Area *area, const struct addrinfo *i) {
    Term pairs[] = {am_family,   socket_name_of(socket_domains, i->ai_family),
                    am_type,     socket_name_of(socket_types, i->ai_socktype),
                    am_protocol, small_make(i->ai_protocol),
                    am_addr,     socket_address_of(area, i->ai_addr, i->ai_addrlen)};
    return map_from_pairs(area, pairs, 4);
}

static Term address_infos(Area *area, const struct addrinfo *i) {
    Term list = NIL, *end = &list;
    for (; i != NULL; i = i->ai_next) {
        *end = area_cons(area, address_info_term(area, i), NIL);
        end = list_ptr(*end) + 1;
    }
    return list;
}

/* Hints are not given. */
Term prim_net_getaddrinfo(Process *p, const Term *a) {
    TEXT(host);
    TEXT(service);
    if ((a[0] != am_undefined && !text_from_latin1_list(&host, a[0])) ||
        (a[1] != am_undefined && !text_from_latin1_list(&service, a[1])))
        return native_badarg(p);
    struct addrinfo *found = NULL;
    int error = getaddrinfo(a[0] == am_undefined ? NULL : text_cstring(&host),
                            a[1] == am_undefined ? NULL : text_cstring(&service), NULL, &found);
    if (error != 0)
        return lookup_failed(p, error);
    Term result = native_ok(p, address_infos(process_area(p), found));
    freeaddrinfo(found);
    return result;
}

/* --- Names of interfaces --- */

Term prim_net_if_name2index(Process *p, const Term *a) {
    TEXT(name);
    if (!is_list(a[0]) && !is_nil(a[0]))
        return native_badarg(p);
    if (!text_from_latin1_list(&name, a[0]) || name.size > IFNAMSIZ)
        return native_posix(p, EINVAL);
    unsigned index = if_nametoindex(text_cstring(&name));
    return index != 0 ? native_ok(p, small_make(index)) : native_posix(p, errno);
}

Term prim_net_if_index2name(Process *p, const Term *a) {
    unsigned index;
    char name[IF_NAMESIZE];
    if (!socket_uint_from(a[0], &index))
        return native_badarg(p);
    return if_indextoname(index, name) != NULL ? native_ok(p, text_term(process_area(p), name))
                                               : native_posix(p, errno);
}

Term prim_net_if_names(Process *p, const Term *a) {
    Area *area = process_area(p);
    struct if_nameindex *all = if_nameindex();
    if (all == NULL)
        return native_posix(p, errno);
    Term list = NIL;
    size_t count = 0;
    while (all[count].if_index != 0)
        count++;
    while (count-- > 0)
        list = area_cons(area, area_tuple2(area, small_make(all[count].if_index), text_term(area, all[count].if_name)),
                         list);
    if_freenameindex(all);
    return native_ok(p, list);
}
