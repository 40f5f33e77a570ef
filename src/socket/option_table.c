#include "socket/option.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <linux/sctp.h> /* needs the one before */

#include "socket/address.h"
#include "term/atom.h"

enum {
    LEVEL_SOCK = OPTION_LEVEL_SOCKET,
    LEVEL_IP = IPPROTO_IP,
    LEVEL_IP6 = IPPROTO_IPV6,
    LEVEL_TCP = IPPROTO_TCP,
    LEVEL_UDP = IPPROTO_UDP,
    LEVEL_SCTP = IPPROTO_SCTP,
};
#define BOTH(form) OPTION_##form, OPTION_##form
#define GET(form) OPTION_##form, OPTION_NEITHER
#define SET(form) OPTION_NEITHER, OPTION_##form
#define NONE -1, OPTION_NEITHER, OPTION_NEITHER

const SocketOption socket_options[] = {
    {LEVEL_SOCK, am_acceptconn, SO_ACCEPTCONN, BOTH(BOOL)},
    {LEVEL_SOCK, am_acceptfilter, NONE},
    {LEVEL_SOCK, am_bindtodevice, SO_BINDTODEVICE, BOTH(BYTES)},
    {LEVEL_SOCK, am_broadcast, SO_BROADCAST, BOTH(BOOL)},
    {LEVEL_SOCK, am_busy_poll, NONE},
    {LEVEL_SOCK, am_debug, SO_DEBUG, BOTH(INT)},
    {LEVEL_SOCK, am_domain, SO_DOMAIN, GET(DOMAIN)},
    {LEVEL_SOCK, am_dontroute, SO_DONTROUTE, BOTH(BOOL)},
    {LEVEL_SOCK, am_error, NONE},
    {LEVEL_SOCK, am_keepalive, SO_KEEPALIVE, BOTH(BOOL)},
    {LEVEL_SOCK, am_linger, SO_LINGER, BOTH(LINGER)},
    {LEVEL_SOCK, am_mark, NONE},
    {LEVEL_SOCK, am_oobinline, SO_OOBINLINE, BOTH(BOOL)},
    {LEVEL_SOCK, am_passcred, SO_PASSCRED, BOTH(BOOL)},
    {LEVEL_SOCK, am_peek_off, SO_PEEK_OFF, BOTH(INT)},
    {LEVEL_SOCK, am_peercred, NONE},
    {LEVEL_SOCK, am_priority, SO_PRIORITY, BOTH(INT)},
    {LEVEL_SOCK, am_protocol, SO_PROTOCOL, GET(PROTOCOL)},
    {LEVEL_SOCK, am_rcvbuf, SO_RCVBUF, BOTH(INT)},
    {LEVEL_SOCK, am_rcvbufforce, NONE},
    {LEVEL_SOCK, am_rcvlowat, SO_RCVLOWAT, BOTH(INT)},
    {LEVEL_SOCK, am_rcvtimeo, NONE},
    {LEVEL_SOCK, am_reuseaddr, SO_REUSEADDR, BOTH(BOOL)},
    {LEVEL_SOCK, am_reuseport, SO_REUSEPORT, BOTH(BOOL)},
    {LEVEL_SOCK, am_rxq_ovfl, NONE},
    {LEVEL_SOCK, am_setfib, NONE},
    {LEVEL_SOCK, am_sndbuf, SO_SNDBUF, BOTH(INT)},
    {LEVEL_SOCK, am_sndbufforce, NONE},
    {LEVEL_SOCK, am_sndlowat, SO_SNDLOWAT, BOTH(INT)},
    {LEVEL_SOCK, am_sndtimeo, NONE},
    {LEVEL_SOCK, am_timestamp, SO_TIMESTAMP, BOTH(BOOL)},
    {LEVEL_SOCK, am_type, SO_TYPE, GET(TYPE)},
    {LEVEL_IP, am_add_membership, IP_ADD_MEMBERSHIP, SET(GROUP)},
    {LEVEL_IP, am_add_source_membership, IP_ADD_SOURCE_MEMBERSHIP, SET(GROUP_SOURCE)},
    {LEVEL_IP, am_block_source, IP_BLOCK_SOURCE, SET(GROUP_SOURCE)},
    {LEVEL_IP, am_dontfrag, NONE},
    {LEVEL_IP, am_drop_membership, IP_DROP_MEMBERSHIP, SET(GROUP)},
    {LEVEL_IP, am_drop_source_membership, IP_DROP_SOURCE_MEMBERSHIP, SET(GROUP_SOURCE)},
    {LEVEL_IP, am_freebind, IP_FREEBIND, BOTH(BOOL)},
    {LEVEL_IP, am_hdrincl, IP_HDRINCL, BOTH(BOOL)},
    {LEVEL_IP, am_minttl, IP_MINTTL, BOTH(INT)},
    {LEVEL_IP, am_msfilter, IP_MSFILTER, SET(FILTER)},
    {LEVEL_IP, am_mtu, IP_MTU, GET(INT)},
    {LEVEL_IP, am_mtu_discover, IP_MTU_DISCOVER, BOTH(PATH_MTU)},
    {LEVEL_IP, am_multicast_all, IP_MULTICAST_ALL, BOTH(BOOL)},
    {LEVEL_IP, am_multicast_if, IP_MULTICAST_IF, BOTH(IP4)},
    {LEVEL_IP, am_multicast_loop, IP_MULTICAST_LOOP, BOTH(BOOL)},
    {LEVEL_IP, am_multicast_ttl, IP_MULTICAST_TTL, BOTH(INT)},
    {LEVEL_IP, am_nodefrag, IP_NODEFRAG, BOTH(BOOL)},
    {LEVEL_IP, am_options, NONE},
    {LEVEL_IP, am_pktinfo, IP_PKTINFO, BOTH(BOOL)},
    {LEVEL_IP, am_pktoptions, IP_PKTOPTIONS, GET(BYTES)},
    {LEVEL_IP, am_recvdstaddr, NONE},
    {LEVEL_IP, am_recverr, IP_RECVERR, BOTH(BOOL)},
    {LEVEL_IP, am_recvif, NONE},
    {LEVEL_IP, am_recvopts, IP_RECVOPTS, BOTH(BOOL)},
    {LEVEL_IP, am_recvorigdstaddr, IP_RECVORIGDSTADDR, BOTH(BOOL)},
    {LEVEL_IP, am_recvtos, IP_RECVTOS, BOTH(BOOL)},
    {LEVEL_IP, am_recvttl, IP_RECVTTL, BOTH(BOOL)},
    {LEVEL_IP, am_retopts, IP_RETOPTS, BOTH(BOOL)},
    {LEVEL_IP, am_router_alert, IP_ROUTER_ALERT, BOTH(INT)},
    {LEVEL_IP, am_sendsrcaddr, NONE},
    {LEVEL_IP, am_tos, IP_TOS, BOTH(SERVICE)},
    {LEVEL_IP, am_transparent, IP_TRANSPARENT, BOTH(BOOL)},
    {LEVEL_IP, am_ttl, IP_TTL, BOTH(INT)},
    {LEVEL_IP, am_unblock_source, IP_UNBLOCK_SOURCE, SET(GROUP_SOURCE)},
    {LEVEL_IP6, am_add_membership, IPV6_JOIN_GROUP, SET(GROUP6)},
    {LEVEL_IP6, am_addrform, IPV6_ADDRFORM, SET(FAMILY)},
    {LEVEL_IP6, am_auth_level, NONE},
    {LEVEL_IP6, am_authhdr, IPV6_AUTHHDR, BOTH(BOOL)},
    {LEVEL_IP6, am_checksum, NONE},
    {LEVEL_IP6, am_drop_membership, IPV6_LEAVE_GROUP, SET(GROUP6)},
    {LEVEL_IP6, am_dstopts, IPV6_DSTOPTS, BOTH(BOOL)},
    {LEVEL_IP6, am_esp_network_level, NONE},
    {LEVEL_IP6, am_esp_trans_level, NONE},
    {LEVEL_IP6, am_faith, NONE},
    {LEVEL_IP6, am_flowinfo, 11, BOTH(BOOL)},
    {LEVEL_IP6, am_hoplimit, IPV6_HOPLIMIT, BOTH(BOOL)},
    {LEVEL_IP6, am_hopopts, IPV6_HOPOPTS, BOTH(BOOL)},
    {LEVEL_IP6, am_ipcomp_level, NONE},
    {LEVEL_IP6, am_join_group, NONE},
    {LEVEL_IP6, am_leave_group, NONE},
    {LEVEL_IP6, am_mtu, IPV6_MTU, BOTH(INT)},
    {LEVEL_IP6, am_mtu_discover, IPV6_MTU_DISCOVER, BOTH(PATH_MTU6)},
    {LEVEL_IP6, am_multicast_hops, IPV6_MULTICAST_HOPS, BOTH(HOPS)},
    {LEVEL_IP6, am_multicast_if, IPV6_MULTICAST_IF, BOTH(INT)},
    {LEVEL_IP6, am_multicast_loop, IPV6_MULTICAST_LOOP, BOTH(BOOL)},
    {LEVEL_IP6, am_pktoptions, NONE},
    {LEVEL_IP6, am_portrange, NONE},
    {LEVEL_IP6, am_recverr, IPV6_RECVERR, BOTH(BOOL)},
    {LEVEL_IP6, am_recvhoplimit, IPV6_RECVHOPLIMIT, BOTH(BOOL)},
    {LEVEL_IP6, am_recvpktinfo, IPV6_RECVPKTINFO, BOTH(BOOL)},
    {LEVEL_IP6, am_recvtclass, IPV6_RECVTCLASS, BOTH(BOOL)},
    {LEVEL_IP6, am_router_alert, IPV6_ROUTER_ALERT, BOTH(INT)},
    {LEVEL_IP6, am_rthdr, IPV6_RTHDR, BOTH(BOOL)},
    {LEVEL_IP6, am_tclass, IPV6_TCLASS, BOTH(INT)},
    {LEVEL_IP6, am_unicast_hops, IPV6_UNICAST_HOPS, BOTH(HOPS)},
    {LEVEL_IP6, am_use_min_mtu, NONE},
    {LEVEL_IP6, am_v6only, IPV6_V6ONLY, BOTH(BOOL)},
    {LEVEL_TCP, am_congestion, TCP_CONGESTION, BOTH(BYTES)},
    {LEVEL_TCP, am_cork, TCP_CORK, BOTH(BOOL)},
    {LEVEL_TCP, am_info, NONE},
    {LEVEL_TCP, am_keepcnt, NONE},
    {LEVEL_TCP, am_keepidle, NONE},
    {LEVEL_TCP, am_keepintvl, NONE},
    {LEVEL_TCP, am_maxseg, TCP_MAXSEG, BOTH(INT)},
    {LEVEL_TCP, am_md5sig, NONE},
    {LEVEL_TCP, am_nodelay, TCP_NODELAY, BOTH(BOOL)},
    {LEVEL_TCP, am_noopt, NONE},
    {LEVEL_TCP, am_nopush, NONE},
    {LEVEL_TCP, am_syncnt, NONE},
    {LEVEL_TCP, am_user_timeout, NONE},
    {LEVEL_UDP, am_cork, UDP_CORK, BOTH(BOOL)},
    {LEVEL_SCTP, am_adaption_layer, NONE},
    {LEVEL_SCTP, am_associnfo, SCTP_ASSOCINFO, BOTH(ASSOCIATION)},
    {LEVEL_SCTP, am_auth_active_key, NONE},
    {LEVEL_SCTP, am_auth_chunk, NONE},
    {LEVEL_SCTP, am_auth_delete_key, NONE},
    {LEVEL_SCTP, am_auth_key, NONE},
    {LEVEL_SCTP, am_autoclose, SCTP_AUTOCLOSE, BOTH(INT)},
    {LEVEL_SCTP, am_context, NONE},
    {LEVEL_SCTP, am_default_send_params, NONE},
    {LEVEL_SCTP, am_delayed_ack_time, NONE},
    {LEVEL_SCTP, am_disable_fragments, SCTP_DISABLE_FRAGMENTS, BOTH(BOOL)},
    {LEVEL_SCTP, am_events, SCTP_EVENTS, SET(EVENTS)},
    {LEVEL_SCTP, am_explicit_eor, NONE},
    {LEVEL_SCTP, am_fragment_interleave, NONE},
    {LEVEL_SCTP, am_get_peer_addr_info, NONE},
    {LEVEL_SCTP, am_hmac_ident, NONE},
    {LEVEL_SCTP, am_i_want_mapped_v4_addr, NONE},
    {LEVEL_SCTP, am_initmsg, SCTP_INITMSG, BOTH(INIT_MESSAGE)},
    {LEVEL_SCTP, am_local_auth_chunks, NONE},
    {LEVEL_SCTP, am_maxburst, NONE},
    {LEVEL_SCTP, am_maxseg, SCTP_MAXSEG, BOTH(INT)},
    {LEVEL_SCTP, am_nodelay, SCTP_NODELAY, BOTH(BOOL)},
    {LEVEL_SCTP, am_partial_delivery_point, NONE},
    {LEVEL_SCTP, am_peer_addr_params, NONE},
    {LEVEL_SCTP, am_peer_auth_chunks, NONE},
    {LEVEL_SCTP, am_primary_addr, NONE},
    {LEVEL_SCTP, am_reset_streams, NONE},
    {LEVEL_SCTP, am_rtoinfo, SCTP_RTOINFO, OPTION_NEITHER, OPTION_NEITHER},
    {LEVEL_SCTP, am_set_peer_primary_addr, NONE},
    {LEVEL_SCTP, am_status, NONE},
    {LEVEL_SCTP, am_use_ext_recvinfo, NONE},
    {0, NON_VALUE, NONE},
};

const SocketOption *socket_option_find(int level, int number) {
    const SocketOption *o = socket_options;
    while (is_value(o->name) && !(o->level == level && o->number == number))
        o++;
    return is_value(o->name) ? o : NULL;
}

bool socket_level_from(Term t, int *level) {
    *level = OPTION_LEVEL_SOCKET;
    if (t == am_socket)
        return true;
    bool is_number = socket_int_from(t, level);
    if (is_number && *level == OPTION_LEVEL_SOCKET)
        *level = OPTION_LEVEL_NONE;
    return is_number;
}
