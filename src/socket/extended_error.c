#include "socket/extended_error.h"

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <time.h>

#include <linux/errqueue.h> /* needs the one before */

#include "socket/address.h"
#include "socket/names.h"
#include "sys/errno_name.h"
#include "term/atom.h"
#include "term/map.h"

#define END {NON_VALUE, 0}

static const SocketName origins[] = {{am_none, SO_EE_ORIGIN_NONE},
                                     {am_local, SO_EE_ORIGIN_LOCAL},
                                     {am_icmp, SO_EE_ORIGIN_ICMP},
                                     {am_icmp6, SO_EE_ORIGIN_ICMP6},
                                     END};
static const SocketName no_names[] = {END};
static const SocketName types[] = {{am_dest_unreach, ICMP_DEST_UNREACH}, {am_time_exceeded, ICMP_TIME_EXCEEDED}, END};
static const SocketName types6[] = {{am_dest_unreach, ICMP6_DST_UNREACH},
                                    {am_pkt_toobig, ICMP6_PACKET_TOO_BIG},
                                    {am_time_exceeded, ICMP6_TIME_EXCEEDED},
                                    END};
static const SocketName codes[] = {{am_net_unreach, ICMP_NET_UNREACH},
                                   {am_host_unreach, ICMP_HOST_UNREACH},
                                   {am_port_unreach, ICMP_PORT_UNREACH},
                                   {am_frag_needed, ICMP_FRAG_NEEDED},
                                   {am_net_unknown, ICMP_NET_UNKNOWN},
                                   {am_host_unknown, ICMP_HOST_UNKNOWN},
                                   END};
static const SocketName codes6[] = {{am_noroute, ICMP6_DST_UNREACH_NOROUTE},
                                    {am_adm_prohibited, ICMP6_DST_UNREACH_ADMIN},
                                    {am_not_neighbour, ICMP6_DST_UNREACH_BEYONDSCOPE},
                                    {am_addr_unreach, ICMP6_DST_UNREACH_ADDR},
                                    {am_port_unreach, ICMP6_DST_UNREACH_NOPORT},
                                    {am_policy_fail, 5},
                                    {am_reject_route, 6},
                                    END};

static Term type_term(const struct sock_extended_err *e) {
    bool is4 = e->ee_origin == SO_EE_ORIGIN_ICMP, is6 = e->ee_origin == SO_EE_ORIGIN_ICMP6;
    return socket_name_of(is4 ? types : is6 ? types6 : no_names, e->ee_type);
}

/* Only why something cannot be reached has names. */
static Term code_term(const struct sock_extended_err *e) {
    bool is4 = e->ee_origin == SO_EE_ORIGIN_ICMP && e->ee_type == ICMP_DEST_UNREACH;
    bool is6 = e->ee_origin == SO_EE_ORIGIN_ICMP6 && e->ee_type == ICMP6_DST_UNREACH;
    return socket_name_of(is4 ? codes : is6 ? codes6 : no_names, e->ee_code);
}

Term socket_extended_error_term(Area *area, const uint8_t *bytes, size_t count) {
    struct sock_extended_err e;
    if (count < sizeof e)
        return NON_VALUE;
    memcpy(&e, bytes, sizeof e);
    Term offender = count > sizeof e ? socket_address_of(area, bytes + sizeof e, count - sizeof e) : am_undefined;
    Term pairs[] = {am_error,    atom_from_cstring(errno_name((int)e.ee_errno)),
                    am_origin,   socket_name_of(origins, e.ee_origin),
                    am_type,     type_term(&e),
                    am_code,     code_term(&e),
                    am_info,     small_make(e.ee_info),
                    am_data,     small_make(e.ee_data),
                    am_offender, offender};
    return map_from_pairs(area, pairs, 7);
}
