#include "socket/option.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/sctp.h> /* needs the one before */

#include "alloc/alloc.h"
#include "socket/address.h"
#include "term/atom.h"
#include "term/map.h"

#define NO_VALUE (-1)

typedef struct {
    int fd, level, number;
} Place;

static int put(const Place *at, const void *bytes, size_t count) {
    return setsockopt(at->fd, at->level, at->number, bytes, (socklen_t)count) == 0 ? 0 : errno;
}

/* --- Groups of receivers --- */

static int put_group(const Place *at, Term t) {
    struct ip_mreq group;
    if (!socket_ip4_from(socket_map_value(t, am_multiaddr), &group.imr_multiaddr) ||
        !socket_ip4_from(socket_map_value(t, am_interface), &group.imr_interface))
        return NO_VALUE;
    return put(at, &group, sizeof group);
}

static int put_group_source(const Place *at, Term t) {
    struct ip_mreq_source group;
    if (!socket_ip4_from(socket_map_value(t, am_multiaddr), &group.imr_multiaddr) ||
        !socket_ip4_from(socket_map_value(t, am_interface), &group.imr_interface) ||
        !socket_ip4_from(socket_map_value(t, am_sourceaddr), &group.imr_sourceaddr))
        return NO_VALUE;
    return put(at, &group, sizeof group);
}

static int put_group6(const Place *at, Term t) {
    struct ipv6_mreq group;
    if (!socket_ip6_from(socket_map_value(t, am_multiaddr), &group.ipv6mr_multiaddr) ||
        !socket_uint_from(socket_map_value(t, am_interface), &group.ipv6mr_interface))
        return NO_VALUE;
    return put(at, &group, sizeof group);
}

/* Source addresses; false when one is none. */
static bool sources_from(Term list, struct in_addr *to) {
    for (; is_list(list); list = list_tail(list))
        if (!socket_ip4_from(list_head(list), to++))
            return false;
    return is_nil(list);
}

static size_t cells(Term list) {
    size_t count = 0;
    for (; is_list(list); list = list_tail(list))
        count++;
    return count;
}

static bool filter_from(Term t, struct ip_msfilter *f, Term sources) {
    Term mode = socket_map_value(t, am_mode);
    f->imsf_fmode = mode == am_include ? MCAST_INCLUDE : MCAST_EXCLUDE;
    return (mode == am_include || mode == am_exclude) &&
           socket_ip4_from(socket_map_value(t, am_multiaddr), &f->imsf_multiaddr) &&
           socket_ip4_from(socket_map_value(t, am_interface), &f->imsf_interface) &&
           sources_from(sources, f->imsf_slist);
}

/* `null` is the empty value. */
static int put_filter(const Place *at, Term t) {
    if (t == am_null)
        return put(at, NULL, 0);
    Term sources = socket_map_value(t, am_slist);
    if (!is_value(sources))
        return NO_VALUE;
    size_t count = cells(sources), bytes = IP_MSFILTER_SIZE(count);
    if (bytes < sizeof(struct ip_msfilter))
        bytes = sizeof(struct ip_msfilter);
    struct ip_msfilter *f = mem_calloc(ALLOC_TEMP, bytes);
    f->imsf_numsrc = (uint32_t)count;
    int result = filter_from(t, f, sources) ? put(at, f, bytes) : NO_VALUE;
    mem_free(ALLOC_TEMP, f);
    return result;
}

/* --- SCTP --- */

static bool number16_from(Term map, Term key, uint16_t *to) {
    unsigned value;
    if (!socket_uint_from(socket_map_value(map, key), &value))
        return false;
    *to = (uint16_t)value;
    return true;
}

static bool event_from(Term map, Term key, uint8_t *to) {
    Term value = socket_map_value(map, key);
    *to = value == am_true;
    return value == am_true || value == am_false;
}

static int put_events(const Place *at, Term t) {
    struct sctp_event_subscribe e = {0};
    if (!event_from(t, am_data_io, &e.sctp_data_io_event) ||
        !event_from(t, am_association, &e.sctp_association_event) ||
        !event_from(t, am_address, &e.sctp_address_event) ||
        !event_from(t, am_send_failure, &e.sctp_send_failure_event) ||
        !event_from(t, am_peer_error, &e.sctp_peer_error_event) ||
        !event_from(t, am_shutdown, &e.sctp_shutdown_event) ||
        !event_from(t, am_partial_delivery, &e.sctp_partial_delivery_event) ||
        !event_from(t, am_adaptation_layer, &e.sctp_adaptation_layer_event) ||
        !event_from(t, am_authentication, &e.sctp_authentication_event) ||
        !event_from(t, am_sender_dry, &e.sctp_sender_dry_event))
        return NO_VALUE;
    return put(at, &e, sizeof e);
}

static int put_init_message(const Place *at, Term t) {
    struct sctp_initmsg m = {0};
    if (!number16_from(t, am_num_outstreams, &m.sinit_num_ostreams) ||
        !number16_from(t, am_max_instreams, &m.sinit_max_instreams) ||
        !number16_from(t, am_max_attempts, &m.sinit_max_attempts) ||
        !number16_from(t, am_max_init_timeo, &m.sinit_max_init_timeo))
        return NO_VALUE;
    return put(at, &m, sizeof m);
}

static int put_association(const Place *at, Term t) {
    struct sctp_assocparams a = {0};
    int id;
    if (!socket_int_from(socket_map_value(t, am_assoc_id), &id) ||
        !number16_from(t, am_asocmaxrxt, &a.sasoc_asocmaxrxt) ||
        !number16_from(t, am_number_peer_destinations, &a.sasoc_number_peer_destinations) ||
        !socket_uint_from(socket_map_value(t, am_peer_rwnd), &a.sasoc_peer_rwnd) ||
        !socket_uint_from(socket_map_value(t, am_local_rwnd), &a.sasoc_local_rwnd) ||
        !socket_uint_from(socket_map_value(t, am_cookie_life), &a.sasoc_cookie_life))
        return NO_VALUE;
    a.sasoc_assoc_id = id;
    return put(at, &a, sizeof a);
}

int socket_group_set(int fd, int level, const SocketOption *o, Term value) {
    Place at = {fd, level, o->number};
    switch (o->set) {
    case OPTION_GROUP: return put_group(&at, value);
    case OPTION_GROUP_SOURCE: return put_group_source(&at, value);
    case OPTION_GROUP6: return put_group6(&at, value);
    case OPTION_FILTER: return put_filter(&at, value);
    case OPTION_EVENTS: return put_events(&at, value);
    case OPTION_INIT_MESSAGE: return put_init_message(&at, value);
    case OPTION_ASSOCIATION: return put_association(&at, value);
    default: return NO_VALUE;
    }
}

/* --- Reading --- */

static int get_association(const Place *at, Area *area, Term *value) {
    struct sctp_assocparams a = {0};
    socklen_t count = sizeof a;
    int error = getsockopt(at->fd, at->level, at->number, &a, &count) == 0 ? 0 : errno;
    Term pairs[] = {am_assoc_id,
                    small_make(a.sasoc_assoc_id),
                    am_asocmaxrxt,
                    small_make(a.sasoc_asocmaxrxt),
                    am_number_peer_destinations,
                    small_make(a.sasoc_number_peer_destinations),
                    am_peer_rwnd,
                    small_make(a.sasoc_peer_rwnd),
                    am_local_rwnd,
                    small_make(a.sasoc_local_rwnd),
                    am_cookie_life,
                    small_make(a.sasoc_cookie_life)};
    *value = map_from_pairs(area, pairs, 6);
    return error;
}

static int get_init_message(const Place *at, Area *area, Term *value) {
    struct sctp_initmsg m = {0};
    socklen_t count = sizeof m;
    int error = getsockopt(at->fd, at->level, at->number, &m, &count) == 0 ? 0 : errno;
    Term pairs[] = {
        am_num_outstreams, small_make(m.sinit_num_ostreams), am_max_instreams,  small_make(m.sinit_max_instreams),
        am_max_attempts,   small_make(m.sinit_max_attempts), am_max_init_timeo, small_make(m.sinit_max_init_timeo)};
    *value = map_from_pairs(area, pairs, 4);
    return error;
}

int socket_group_get(int fd, int level, const SocketOption *o, Area *area, Term *value) {
    Place at = {fd, level, o->number};
    return o->got == OPTION_ASSOCIATION ? get_association(&at, area, value) : get_init_message(&at, area, value);
}
