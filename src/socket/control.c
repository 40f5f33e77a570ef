#include "socket/control.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>

#include "alloc/alloc.h"
#include "socket/address.h"
#include "socket/extended_error.h"
#include "socket/names.h"
#include "socket/option.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/iolist.h"
#include "term/map.h"

/* How a type's value looks. */
typedef enum {
    PLAIN,
    NUMBER,
    SERVICE,
    TIME,
    /* these are only told */
    NUMBER_TOLD,
    SERVICE_TOLD,
    PACKET_INFO,
    PACKET_INFO6,
    ADDRESS,
    ERROR_QUEUE
} Form;
typedef struct {
    int level, number;
    Term name;
    Form form;
} Type;

static const Type types[] = {
    {SOL_SOCKET, SCM_TIMESTAMP, am_timestamp, TIME},        {SOL_SOCKET, SCM_RIGHTS, am_rights, PLAIN},
    {SOL_SOCKET, SCM_CREDENTIALS, am_credentials, PLAIN},   {IPPROTO_IP, IP_TOS, am_tos, SERVICE},
    {IPPROTO_IP, IP_RECVTOS, am_recvtos, SERVICE_TOLD},     {IPPROTO_IP, IP_TTL, am_ttl, NUMBER},
    {IPPROTO_IP, IP_RECVTTL, am_recvttl, NUMBER_TOLD},      {IPPROTO_IP, IP_PKTINFO, am_pktinfo, PACKET_INFO},
    {IPPROTO_IP, IP_ORIGDSTADDR, am_origdstaddr, ADDRESS},  {IPPROTO_IP, IP_RECVERR, am_recverr, ERROR_QUEUE},
    {IPPROTO_IPV6, IPV6_PKTINFO, am_pktinfo, PACKET_INFO6}, {IPPROTO_IPV6, IPV6_HOPLIMIT, am_hoplimit, NUMBER},
    {IPPROTO_IPV6, IPV6_TCLASS, am_tclass, NUMBER},         {IPPROTO_IPV6, IPV6_RECVERR, am_recverr, ERROR_QUEUE},
};
#define TYPES (sizeof types / sizeof *types)

/* --- To terms --- */

static const Type *type_of(int level, int number) {
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].level == level && types[i].number == number)
            return &types[i];
    return NULL;
}

static int number_in(const uint8_t *bytes, size_t count) {
    int number = 0;
    if (count >= sizeof number)
        memcpy(&number, bytes, sizeof number);
    else if (count > 0)
        number = bytes[0];
    return number;
}

static Term time_term(Area *area, const uint8_t *bytes, size_t count) {
    struct timeval t;
    if (count < sizeof t)
        return NON_VALUE;
    memcpy(&t, bytes, sizeof t);
    Term pairs[] = {am_sec, integer_from_int64(area, t.tv_sec), am_usec, small_make(t.tv_usec)};
    return map_from_pairs(area, pairs, 2);
}

static Term packet_info_term(Area *area, const uint8_t *bytes, size_t count) {
    struct in_pktinfo i;
    if (count < sizeof i)
        return NON_VALUE;
    memcpy(&i, bytes, sizeof i);
    Term pairs[] = {am_ifindex, small_make(i.ipi_ifindex),         am_spec_dst, socket_ip4_term(area, &i.ipi_spec_dst),
                    am_addr,    socket_ip4_term(area, &i.ipi_addr)};
    return map_from_pairs(area, pairs, 3);
}

static Term packet_info6_term(Area *area, const uint8_t *bytes, size_t count) {
    struct in6_pktinfo i;
    if (count < sizeof i)
        return NON_VALUE;
    memcpy(&i, bytes, sizeof i);
    Term pairs[] = {am_ifindex, small_make(i.ipi6_ifindex), am_addr, socket_ip6_term(area, &i.ipi6_addr)};
    return map_from_pairs(area, pairs, 2);
}

static Term value_term(Area *area, const Type *t, const uint8_t *bytes, size_t count) {
    switch (t != NULL ? t->form : PLAIN) {
    case NUMBER:
    case NUMBER_TOLD: return small_make(number_in(bytes, count));
    case SERVICE:
    case SERVICE_TOLD: return socket_service_name(number_in(bytes, count));
    case TIME: return time_term(area, bytes, count);
    case PACKET_INFO: return packet_info_term(area, bytes, count);
    case PACKET_INFO6: return packet_info6_term(area, bytes, count);
    case ADDRESS: return socket_address_of(area, bytes, count);
    case ERROR_QUEUE: return socket_extended_error_term(area, bytes, count);
    default: return NON_VALUE;
    }
}

static Term header_term(Area *area, const struct cmsghdr *c) {
    const uint8_t *bytes = CMSG_DATA(c);
    size_t count = c->cmsg_len - (size_t)(bytes - (const uint8_t *)c);
    const Type *t = type_of(c->cmsg_level, c->cmsg_type);
    Term value = value_term(area, t, bytes, count);
    Term pairs[] = {am_level, c->cmsg_level == SOL_SOCKET ? am_socket : small_make(c->cmsg_level),
                    am_type,  t != NULL ? t->name : small_make(c->cmsg_type),
                    am_data,  binary_from_bytes(area, bytes, count),
                    am_value, value};
    return map_from_pairs(area, pairs, is_value(value) ? 4 : 3);
}

Term socket_control_term(Area *area, struct msghdr *from) {
    Term list = NIL, *end = &list;
    if (from->msg_control == NULL)
        return NIL;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(from); c != NULL; c = CMSG_NXTHDR(from, c)) {
        *end = area_cons(area, header_term(area, c), NIL);
        end = (Term *)list_ptr(*end) + 1;
    }
    return list;
}

/* --- From terms --- */

#define CONTROL_MAX (1 << 20) /* much more than any system takes */

typedef struct {
    size_t count;
    const uint8_t *bytes;
    uint8_t *copy;
    union {
        int number;
        struct timeval time;
        struct in_pktinfo info;
        struct in6_pktinfo info6;
    };
} Data;

static bool as_bytes(Data *d, size_t count) {
    d->bytes = (const uint8_t *)&d->number;
    d->count = count;
    return true;
}

static bool time_from(Data *d, Term t) {
    int64_t seconds, micro;
    Term sec = socket_map_value(t, am_sec), usec = socket_map_value(t, am_usec);
    if (!is_value(sec) || !is_value(usec) || !integer_to_int64(sec, &seconds) || !integer_to_int64(usec, &micro))
        return false;
    d->time = (struct timeval){seconds, micro};
    return as_bytes(d, sizeof d->time);
}

static bool value_from(Data *d, const Type *t, Term value) {
    switch (t->form) {
    case NUMBER: return socket_int_from(value, &d->number) && as_bytes(d, sizeof d->number);
    case SERVICE: return socket_number_of(socket_service_types, value, &d->number) && as_bytes(d, sizeof d->number);
    case TIME: return time_from(d, value);
    default: return false;
    }
}

static const Type *type_named(int level, Term name) {
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].level == level && types[i].name == name)
            return &types[i];
    return NULL;
}

static bool bytes_from(Data *d, Term data) {
    uint64_t count;
    if (is_binary(data)) {
        d->bytes = binary_bytes(data, &d->count, &d->copy);
        return true;
    }
    if (!iolist_bytes(data, &count, NULL) || count > CONTROL_MAX)
        return false;
    d->bytes = d->copy = mem_calloc(ALLOC_TEMP, count + 1);
    d->count = count;
    iolist_copy(data, d->copy);
    return true;
}

/* `data`: an int or bytes, whatever the type; or `value`: that of a type that is named. */
static bool data_from(Data *d, const Type *t, Term map) {
    Term data = socket_map_value(map, am_data), value = socket_map_value(map, am_value);
    d->copy = NULL;
    if (is_value(data) && is_value(value))
        return false;
    if (!is_value(data))
        return is_value(value) && t != NULL && value_from(d, t, value);
    d->number = data == am_true;
    if (data == am_true || data == am_false || socket_int_from(data, &d->number))
        return as_bytes(d, sizeof d->number);
    return bytes_from(d, data);
}

static bool put(struct cmsghdr *c, size_t room, int level, int number, const Data *d) {
    if (c == NULL || CMSG_SPACE(d->count) > room)
        return false;
    c->cmsg_level = level;
    c->cmsg_type = number;
    c->cmsg_len = CMSG_LEN(d->count);
    memcpy(CMSG_DATA(c), d->bytes, d->count);
    return true;
}

/* One of them; how much room it takes, 0: it is none. */
static size_t one_from(Term map, uint8_t *at, size_t room) {
    int level, number;
    Term type = socket_map_value(map, am_type);
    if (!socket_level_from(socket_map_value(map, am_level), &level))
        return 0;
    level = socket_level_of_system(level);
    const Type *t = type_named(level, type);
    if (t != NULL)
        number = t->number;
    else if (!socket_int_from(type, &number))
        return 0;
    Data d;
    bool is_good = data_from(&d, t, map) && put((struct cmsghdr *)at, room, level, number, &d);
    mem_free(ALLOC_TEMP, d.copy);
    return is_good ? CMSG_SPACE(d.count) : 0;
}

bool socket_control_from(Term list, struct msghdr *to) {
    size_t used = 0, room = to->msg_controllen;
    for (; is_list(list); list = list_tail(list)) {
        size_t more = one_from(list_head(list), (uint8_t *)to->msg_control + used, room - used);
        if (more == 0)
            return false;
        used += more;
    }
    to->msg_controllen = used;
    return is_nil(list);
}
